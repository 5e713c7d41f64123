/** A mail in plain text to one address. */
export interface Letter {
  to: string
  subject: string
  text: string
  /** where whoever gets it says that no more is wanted (RFC 2369 §3.2) */
  unsubscribe?: string
}

export interface Mail {
  /** Throws where the mail could not be handed over, within twenty seconds or so. */
  send(letter: Letter): Promise<void>
}

export const noMail: Mail = { send: () => Promise.reject(new Error('there is no way to send mails')) }

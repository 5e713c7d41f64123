/** A mail in plain text to one address. */
export interface Letter {
  to: string
  subject: string
  text: string
  /** Address for unsubscribing (RFC 2369 §3.2). */
  unsubscribe?: string
}

/** Sends mails. */
export interface Mail {
  /** Throws if the mail server does not accept the mail within about twenty seconds. */
  send(letter: Letter): Promise<void>
}

export const noMail: Mail = { send: () => Promise.reject(new Error('there is no way to send mails')) }

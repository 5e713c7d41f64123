/** The `after` of pages of conversations, newest first. */

/** The conversation after which a page begins. */
export interface ConversationCursor {
  /** Milliseconds since the Unix epoch. */
  started_at: number
  call_sid: string
  account_sid: string
}

export const cursorPattern = /^(\d{1,15})~([^~]{1,36})~([^~]{1,36})$/

/** Formats the `after` of the page that follows a conversation. */
export const formatCursor = ({ started_at, call_sid, account_sid }: ConversationCursor): string =>
  [started_at, call_sid, account_sid].join('~')

/** Parses an `after`. Returns undefined for a text of another form. */
export const parseCursor = (text: string): ConversationCursor | undefined => {
  const [, started_at, call_sid, account_sid] = cursorPattern.exec(text) ?? []
  return call_sid === undefined || account_sid === undefined
    ? undefined
    : { started_at: Number(started_at), call_sid, account_sid }
}

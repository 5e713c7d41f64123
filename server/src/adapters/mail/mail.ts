import { withTimeout } from '../../lib/timeout.ts'

/** A value with its label, such as the time of an alert. */
export interface LabeledValue {
  label: string
  value: string
}

/** Link to a page of the console. */
export interface ConsoleLink {
  label: string
  /** Path below the address of the console, such as `/internal/alerts`. */
  path: string
}

export interface Section {
  title?: string
  values: readonly LabeledValue[]
  link?: ConsoleLink
}

/**
 * Content of an email to one address. It is plain text, and every value may come from an attacker. The adapter renders
 * it as text and as HTML.
 */
export interface MailMessage {
  to: string
  /** Control characters become spaces. */
  subject: string
  /** Says what happened, in one paragraph. Mail clients show it next to the subject. */
  summary: string
  /** Code for the recipient to enter, displayed in large type. */
  code?: string
  /** Lists of values, such as alerts. */
  sections?: readonly Section[]
  action?: ConsoleLink
  /** Paragraphs after the action. */
  notes?: readonly string[]
  /** Sentence that says why the recipient gets this email. */
  reason: string
  /** Path of the console page for unsubscribing (header: RFC 2369 §3.2). */
  unsubscribePath?: string
}

/** Thrown if the mail server permanently rejects the recipient or the content of an email, so a retry fails too. */
export class MailRejectedError extends Error {}

/** Sends emails. */
export interface Mail {
  /**
   * Sends an email.
   * @throws MailRejectedError if the mail server permanently rejects the email
   * @throws Error if it does not accept the email within about twenty seconds for another reason
   */
  send(message: MailMessage): Promise<void>
  /**
   * Connects to the mail server and signs in, without sending anything. Absent if no mail server is configured.
   * @throws Error if that fails
   */
  check?(): Promise<void>
}

/** A request that waits for the mail server still responds in time. */
const waitSeconds = 25

/**
 * Sends an email while a request waits for it.
 * @throws Error if the mail server does not accept the email within 25 seconds
 */
export const sendInTime = (mail: Mail, message: MailMessage): Promise<void> =>
  withTimeout(mail.send(message), waitSeconds, () => new Error('the mail server did not accept the email in time'))

export const disabledMail: Mail = { send: () => Promise.reject(new Error('no mail server is configured')) }

import { minuteMs } from '@patchbay/contract/shared/durations'
import type { BackgroundTasks } from '../../lib/background-tasks.ts'
import type { OnBackgroundError } from '../../lib/log.ts'
import { type Mail, type MailMessage, MailRejectedError } from './mail.ts'

/** Delays before each retry. All are within the time in which a code or a link is valid. */
const defaultRetryMs = [minuteMs / 2, 2 * minuteMs, 10 * minuteMs]

/**
 * Sends emails with codes and links. They are not stored, because the database contains only hashes of codes and links.
 * An email that waits for a retry is lost when the process ends, and its recipient can request another one.
 */
export interface BackgroundMail {
  /**
   * Sends an email, and again after temporary failures. Resolves after the first attempt.
   * @param failureMessage logged for each failure
   * @param onSuccess called once, when the mail server has accepted the email
   * @throws Error if the first attempt fails permanently
   */
  send(message: MailMessage, failureMessage: string, onSuccess: () => void): Promise<void>
}

/** @param retryMs delays before each retry; tests use shorter ones */
export const createBackgroundMail = (
  mail: Mail,
  backgroundTasks: BackgroundTasks,
  onBackgroundError: OnBackgroundError,
  retryMs: readonly number[] = defaultRetryMs,
): BackgroundMail => ({
  async send(message, failureMessage, onSuccess) {
    const attempt = async (failures: number): Promise<void> => {
      try {
        await mail.send(message)
      } catch (error) {
        const { [failures]: delayMs } = retryMs
        if (delayMs === undefined || error instanceof MailRejectedError) throw error
        onBackgroundError(error, failureMessage, { retry_seconds: delayMs / 1000 })
        backgroundTasks.beginAfter(delayMs, failureMessage, () => attempt(failures + 1))
        return
      }
      onSuccess()
    }
    await attempt(0)
  },
})

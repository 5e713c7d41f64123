import { minuteMs } from '@patchbay/contract/shared/durations'
import type { Mail } from '../../adapters/mail/mail.ts'
import type { PendingUploads } from '../../call-data/recordings/pending-uploads.ts'
import type { Database } from '../../database/engine.ts'
import { type Check, type Finding, notConfigured, toInstant } from './finding.ts'

/** Checks of the external services that Patchbay and applications use. */

/** Recordings that wait longer have failed to upload at least once. */
const uploadLimitMs = 15 * minuteMs

/** Maximum number of waiting recordings of which the age is read. */
const maxAges = 100

const hasStorage = async ({ reader }: Database): Promise<boolean> => {
  const row = await reader
    .selectFrom('accounts')
    .select('account_sid')
    .where('bucket_credential', 'is not', null)
    .where('bucket_credential', '!=', '')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Creates the check of the upload of recordings to the storages of accounts. */
export const createStorageCheck =
  (database: Database, pending: Pick<PendingUploads, 'list' | 'getChangedAt'>): Check =>
  async () => {
    const waiting = (await pending.list()).filter(({ state }) => state === 'waiting')
    if (waiting.length === 0)
      return (await hasStorage(database))
        ? { state: 'ok', detail: 'No recording waits for its upload.' }
        : notConfigured('No account stores recordings in a bucket. Recordings are in DATA_DIR.')
    const times = await Promise.all(waiting.slice(0, maxAges).map((each) => pending.getChangedAt(each)))
    const oldest = Math.min(...times.filter((time) => time !== undefined))
    const isLate = Date.now() - oldest > uploadLimitMs
    const count = `${waiting.length.toLocaleString('en')} ${waiting.length === 1 ? 'recording waits' : 'recordings wait'}`
    return {
      state: isLate ? 'warning' : 'ok',
      detail: isLate ? `${count} for an upload, one of them for more than 15 minutes.` : `${count} for an upload.`,
    }
  }

/** Creates the check of the mail server: it connects and signs in, and sends nothing. */
export const createMailCheck =
  ({ check }: Mail): Check =>
  async () => {
    if (check === undefined) return notConfigured('No mail server is configured. Emails are written to the log.')
    await check()
    return { state: 'ok', detail: 'The mail server accepts connections.', last_contact: toInstant(Date.now()) }
  }

/** Creates the check of the payment provider. */
export const createPaymentCheck =
  (check: (() => Promise<void>) | undefined): Check =>
  async () => {
    if (check === undefined) return notConfigured('No payment provider is configured, so nothing is sold.')
    await check()
    return { state: 'ok', detail: 'Stripe accepts the key.', last_contact: toInstant(Date.now()) }
  }

interface SpeechFigures {
  services: number
  failed: number
  tested: number
  last_contact: string | null
}

/** Judges the speech services by their latest tests. */
export const judgeSpeech = ({ services, failed, tested, last_contact }: SpeechFigures): Finding => {
  if (services === 0) return notConfigured('No speech service has been added.')
  const count = services.toLocaleString('en')
  if (failed > 0)
    return {
      state: failed === services ? 'failing' : 'warning',
      detail: `${failed.toLocaleString('en')} of ${count} speech services failed the latest test.`,
      last_contact,
    }
  return tested === 0
    ? { state: 'unknown', detail: `None of the ${count} speech services has been tested.`, last_contact }
    : { state: 'ok', detail: `No failed test among ${count} speech services.`, last_contact }
}

/** Creates the check of the speech services: it reads the results of their latest tests and does not test them. */
export const createSpeechCheck =
  ({ reader }: Database): Check =>
  async () => {
    const row = await reader
      .selectFrom('speech_credentials')
      .select(({ fn, eb }) => [
        fn.countAll().as('services'),
        fn
          .sum(
            eb
              .case()
              .when(
                eb.or([
                  eb.and([eb('tts_tested_ok', '=', 0), eb('use_for_tts', '=', 1)]),
                  eb.and([eb('stt_tested_ok', '=', 0), eb('use_for_stt', '=', 1)]),
                ]),
              )
              .then(1)
              .else(0)
              .end(),
          )
          .as('failed'),
        fn.count('last_tested').as('tested'),
        fn.max('last_tested').as('last_contact'),
      ])
      .executeTakeFirstOrThrow()
    return judgeSpeech({
      services: Number(row.services),
      failed: Number(row.failed ?? 0),
      tested: Number(row.tested),
      last_contact: row.last_contact,
    })
  }

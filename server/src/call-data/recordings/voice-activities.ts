import { setTimeout as pause } from 'node:timers/promises'
import { type Database, insertIgnoringDuplicates, inTransaction } from '../../database/engine.ts'
import { withoutSlot } from '../../lib/fair-queue.ts'
import type { OnBackgroundError } from '../../lib/log.ts'
import { UnreadableAudio } from './decode-audio.ts'
import type { DetectedVoice } from './detect-voice.ts'
import type { RecordingName } from './recording-names.ts'
import { findOwnRecording, parseRecordedName, type RecordedCall } from './recording-of-call.ts'
import type { Recordings } from './recordings.ts'
import { createVoiceDetector } from './voice-detector.ts'

/** The voice activity of a recording, or why there is none. */
export type VoiceResult =
  | ({ status: 'analyzed' } & DetectedVoice)
  /** The recording is being analyzed. A later call of `find` returns the result. */
  | { status: 'analyzing' }
  /** There is no such recording, or its storage does not respond, which is temporary. */
  | { status: 'unavailable'; isTemporary: boolean }
  /** The file is not audio with a channel for each side. */
  | { status: 'unreadable' }

/** The voice activity of recordings, which is analyzed when it is first read, and then stored. */
export interface VoiceActivities {
  /**
   * Returns the voice activity of the recording of a call, or undefined if the recording is on another server. Waits for
   * the analysis for a short time.
   */
  find(call: RecordedCall): Promise<VoiceResult | undefined>
  /** Deletes what is stored of the recordings of a call. */
  remove(account_sid: string, call_sid: string): Promise<void>
  close(): Promise<void>
}

/** Results of an older version of the method are computed again. Increment it with each change of the method. */
const methodVersion = 1

/** An analysis of a short call ends in this time. Clients repeat the request for others. */
const waitMs = 1500
/**
 * Maximum number of recordings that are analyzed at a time: of all service providers, of one, and of an account. The limit
 * of a provider is much smaller than that of all, so that none keeps others from beginning.
 */
const maxRunning = 50
const maxPerProvider = 10
const maxPerAccount = 5

interface Running {
  account_sid: string
  tenant: string
  result: Promise<VoiceResult>
}

export interface VoiceActivitiesOptions {
  database: Database
  recordings: Recordings
  onBackgroundError: OnBackgroundError
}

/** Creates the access to voice activities. */
export const createVoiceActivities = ({
  database,
  recordings,
  onBackgroundError,
}: VoiceActivitiesOptions): VoiceActivities => {
  const detector = createVoiceDetector()
  const running = new Map<string, Running>()

  const readStored = async (call: RecordedCall): Promise<VoiceResult | undefined> => {
    const row = await database.db
      .selectFrom('patchbay_voice_activities')
      .select('activity')
      .where('account_sid', '=', call.account_sid)
      .where('call_sid', '=', call.call_sid)
      .where('recording_url', '=', call.recording_url)
      .where('method_version', '=', methodVersion)
      .executeTakeFirst()
    if (row === undefined) return undefined
    return row.activity === null
      ? { status: 'unreadable' }
      : { status: 'analyzed', ...(JSON.parse(row.activity) as DetectedVoice) }
  }

  const store = ({ account_sid, call_sid, recording_url }: RecordedCall, detected: DetectedVoice | null) =>
    inTransaction(database, (trx) =>
      insertIgnoringDuplicates(trx, database.engine, 'patchbay_voice_activities', [
        {
          account_sid,
          call_sid,
          recording_url,
          method_version: methodVersion,
          analyzed_at: Date.now(),
          activity: detected && JSON.stringify(detected),
        },
      ]),
    )

  const analyze = async (tenant: string, call: RecordedCall, name: RecordingName): Promise<VoiceResult> => {
    const recording = await findOwnRecording(recordings, call.account_sid, name)
    if (recording === undefined) return { status: 'unavailable', isTemporary: false }
    try {
      const detected = { ...(await detector.detect(tenant, recording, name.format)), fileBytes: recording.size }
      await store(call, detected)
      return { status: 'analyzed', ...detected }
    } catch (error) {
      if (!(error instanceof UnreadableAudio)) throw error
      await store(call, null)
      return { status: 'unreadable' }
    }
  }

  const start = (key: string, tenant: string, call: RecordedCall, name: RecordingName): Promise<VoiceResult> => {
    const { account_sid, call_sid } = call
    const result = analyze(tenant, call, name)
      .catch((error: unknown): VoiceResult => {
        onBackgroundError(error, 'a recording could not be analyzed', { account_sid, call_sid })
        return { status: 'unavailable', isTemporary: true }
      })
      .finally(() => running.delete(key))
    running.set(key, { account_sid, tenant, result })
    return result
  }

  const hasSlot = (tenant: string, account_sid: string): boolean => {
    const all = [...running.values()]
    return (
      all.length < maxRunning &&
      all.filter((one) => one.tenant === tenant).length < maxPerProvider &&
      all.filter((one) => one.account_sid === account_sid).length < maxPerAccount
    )
  }

  /** Accounts of a service provider share one turn. */
  const findTenant = async (account_sid: string): Promise<string> => {
    const account = await database.db
      .selectFrom('accounts')
      .select('service_provider_sid')
      .where('account_sid', '=', account_sid)
      .executeTakeFirst()
    return account?.service_provider_sid ?? account_sid
  }

  return {
    async find(call) {
      const name = parseRecordedName(call)
      if (name === undefined) return undefined
      const stored = await readStored(call)
      if (stored !== undefined) return stored
      const key = `${call.account_sid}/${call.recording_url}`
      const analyzing: VoiceResult = { status: 'analyzing' }
      const tenant = await findTenant(call.account_sid)
      const result =
        running.get(key)?.result ?? (hasSlot(tenant, call.account_sid) ? start(key, tenant, call, name) : analyzing)
      return withoutSlot(() => Promise.race([result, pause(waitMs, analyzing, { ref: false })]))
    },
    async remove(account_sid, call_sid) {
      await database.db
        .deleteFrom('patchbay_voice_activities')
        .where('account_sid', '=', account_sid)
        .where('call_sid', '=', call_sid)
        .execute()
    },
    close: () => detector.close(),
  }
}

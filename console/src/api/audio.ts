import { currentSession, endSession, flashes } from '../session/session.ts'
import { runtime } from './configuration.ts'
import { Failure, refusedBy } from './failure.ts'

/** Phrases that are said: the one answer of the API that is no JSON. */

export interface Phrase {
  speech_credential_sid: string
  text: string
  language: string
  voice: string
}

export interface Spoken {
  audio: Blob
  /** until the vendor began to answer, where our server says it */
  firstByteMs: number | undefined
}

const longestMs = 30_000

const firstByteOf = (timing: string | null): number | undefined => {
  const [, milliseconds] = /first-byte;dur=([\d.]+)/.exec(timing ?? '') ?? []
  return milliseconds === undefined ? undefined : Number(milliseconds)
}

/** Says a phrase with a stored credential; MP3, whatever the vendor gives. */
export const say = async (account_sid: string, phrase: Phrase): Promise<Spoken> => {
  const address = `${runtime().apiBase}/Accounts/${encodeURIComponent(account_sid)}/TtsCache/Synthesize`
  let response: Response
  try {
    response = await fetch(address, {
      method: 'POST',
      headers: { authorization: `Bearer ${currentSession()?.token ?? ''}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...phrase, encodingMp3: true }),
      signal: AbortSignal.timeout(longestMs),
    })
  } catch {
    throw new Failure('unreachable', 0, 'The server could not be reached, please try again')
  }
  if (response.status === 401) {
    endSession(flashes.expired)
    throw new Failure('session-ended', 401, flashes.expired)
  }
  if (!response.ok) throw refusedBy(response.status, await response.json().catch(() => undefined))
  return { audio: await response.blob(), firstByteMs: firstByteOf(response.headers.get('server-timing')) }
}

import { fetchBinary } from './fetch-binary.ts'

/** Phrases that are said. */

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

const parseFirstByte = (timing: string | null): number | undefined => {
  const [, milliseconds] = /first-byte;dur=([\d.]+)/.exec(timing ?? '') ?? []
  return milliseconds === undefined ? undefined : Number(milliseconds)
}

/** Says a phrase with a stored credential; MP3, whatever the vendor gives. */
export const say = async (account_sid: string, phrase: Phrase): Promise<Spoken> => {
  const response = await fetchBinary(`/Accounts/${encodeURIComponent(account_sid)}/TtsCache/Synthesize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...phrase, encodingMp3: true }),
  })
  return { audio: await response.blob(), firstByteMs: parseFirstByte(response.headers.get('server-timing')) }
}

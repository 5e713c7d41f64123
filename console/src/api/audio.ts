import { fetchBinary } from './fetch-binary.ts'

/** Synthesis of test phrases. */

export interface Phrase {
  speech_credential_sid: string
  text: string
  language: string
  voice: string
}

export interface Spoken {
  audio: Blob
  /** Milliseconds until the first byte of the vendor, if the server reports it. */
  firstByteMs: number | undefined
}

const parseFirstByte = (timing: string | null): number | undefined => {
  const [, milliseconds] = /first-byte;dur=([\d.]+)/.exec(timing ?? '') ?? []
  return milliseconds === undefined ? undefined : Number(milliseconds)
}

/**
 * Synthesizes a phrase with a stored credential. Returns MP3, whatever format the vendor uses.
 * @throws ApiError
 */
export const say = async (account_sid: string, phrase: Phrase): Promise<Spoken> => {
  const response = await fetchBinary(`/Accounts/${encodeURIComponent(account_sid)}/TtsCache/Synthesize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...phrase, encodingMp3: true }),
  })
  return { audio: await response.blob(), firstByteMs: parseFirstByte(response.headers.get('server-timing')) }
}

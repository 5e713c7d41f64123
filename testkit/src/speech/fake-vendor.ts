import type { Server } from '@grpc/grpc-js'
import type { IncomingHttpHeaders } from 'node:http'
import type { WebSocket } from 'ws'
import audio from './audio.json' with { type: 'json' }

/** A vendor of speech as its documentation has it: it refuses what the real one would refuse. */
export interface FakeVendor {
  /** as it is stored */
  name: string
  /** its own hosts, as VENDOR_ADDRESSES names them */
  hosts: readonly string[]
  /** one that it takes, with every half that it has */
  credential: Readonly<Record<string, unknown>>
  /** fields of it that it looks at: with another value the halves that are named are refused */
  checked: Readonly<Record<string, readonly ('tts' | 'stt')[]>>
  answer?(request: FakeRequest): FakeAnswer | Promise<FakeAnswer>
  /** what a WebSocket is refused with before it is open */
  refuse?(request: FakeRequest): 401 | 404 | undefined
  /** an open WebSocket */
  talk?(socket: WebSocket, request: FakeRequest): void
  /** what it serves over gRPC, on hosts of its own */
  grpc?: { hosts: readonly string[]; serve(server: Server): void }
}

export interface FakeRequest {
  method: string
  /** with the host that was meant */
  url: URL
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface FakeAnswer {
  /** 200 unless it is said */
  status?: number
  headers?: Readonly<Record<string, string>>
  /** an object is sent as JSON */
  body?: string | Buffer | object
}

/** A little real audio, spoken by espeak-ng for this project. */
export const mp3: Buffer = Buffer.from(audio.mp3, 'base64')

/** A tenth of a second of a tone: PCM, 16 bit little-endian, mono, 8000 Hz. */
export const pcm: Buffer = Buffer.from(
  Int16Array.from({ length: 800 }, (_, sample) => 8000 * Math.sin((sample * 440 * 2 * Math.PI) / 8000)).buffer,
)

export const spoken: FakeAnswer = { headers: { 'content-type': 'audio/mpeg' }, body: mp3 }

/** What a request carries as JSON; an empty object for what is none, or is not said to be. */
export const parseJsonBody = ({ headers, body }: FakeRequest): Record<string, unknown> => {
  try {
    if (!headers['content-type']?.includes('json')) return {}
    return JSON.parse(body.toString()) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Whether all of these are texts with something in them. */
export const areNonEmptyStrings = (...values: unknown[]): boolean =>
  values.every((value) => typeof value === 'string' && value !== '')

/** What a request carries as a form of multipart/form-data; an empty one for what is none. */
export const parseFormBody = async ({ headers, body }: FakeRequest): Promise<FormData> => {
  try {
    const response = new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } })
    return await response.formData()
  } catch {
    return new FormData()
  }
}

/** Whether a body is the recording that recognition is tested with: RIFF/WAVE, 16 bit, mono, 8000 Hz. */
export const isRecording = (body: Buffer): boolean =>
  body.subarray(0, 4).toString() === 'RIFF' &&
  body.readUInt16LE(22) === 1 &&
  body.readUInt32LE(24) === 8000 &&
  body.readUInt16LE(34) === 16 &&
  body.length > 16_000

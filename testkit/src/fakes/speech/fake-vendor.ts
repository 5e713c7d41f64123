import type { IncomingHttpHeaders } from 'node:http'
import type { Server } from '@grpc/grpc-js'
import type { WebSocket } from 'ws'
import audio from './audio.json' with { type: 'json' }

/** A fake speech vendor according to the vendor's documentation. Rejects requests that the real service rejects. */
export interface FakeVendor {
  /** Vendor name in the database. */
  name: string
  /** The vendor's hosts, as in VENDOR_ADDRESSES. */
  hosts: readonly string[]
  /** A valid credential with all parts that the vendor supports. */
  credential: Readonly<Record<string, unknown>>
  /** Fields of the credential that the vendor checks, each with the tests that fail if its value is wrong. */
  checked: Readonly<Record<string, readonly ('tts' | 'stt')[]>>
  answer?(request: FakeRequest): FakeAnswer | Promise<FakeAnswer>
  /** Returns the status with which a WebSocket handshake is rejected. */
  refuse?(request: FakeRequest): 401 | 404 | undefined
  /** Handles an open WebSocket. */
  talk?(socket: WebSocket, request: FakeRequest): void
  /** gRPC services and their hosts. */
  grpc?: { hosts: readonly string[]; serve(server: Server): void }
}

export interface FakeRequest {
  method: string
  /** The URL with the requested host. */
  url: URL
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface FakeAnswer {
  /** Defaults to 200. */
  status?: number
  headers?: Readonly<Record<string, string>>
  /** Objects are sent as JSON. */
  body?: string | Buffer | object
}

/** A short real recording, synthesized with espeak-ng for this project. */
export const mp3: Buffer = Buffer.from(audio.mp3, 'base64')

/** A tone of 0.1 seconds: PCM, 16 bit little-endian, mono, 8000 Hz. */
export const pcm: Buffer = Buffer.from(
  Int16Array.from({ length: 800 }, (_, sample) => 8000 * Math.sin((sample * 440 * 2 * Math.PI) / 8000)).buffer,
)

export const spoken: FakeAnswer = { headers: { 'content-type': 'audio/mpeg' }, body: mp3 }

/** Parses a JSON body. Returns an empty object if the body or its content type is not JSON. */
export const parseJsonBody = ({ headers, body }: FakeRequest): Record<string, unknown> => {
  try {
    if (!headers['content-type']?.includes('json')) return {}
    return JSON.parse(body.toString()) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Returns whether all values are non-empty texts. */
export const areNonEmptyStrings = (...values: unknown[]): boolean =>
  values.every((value) => typeof value === 'string' && value !== '')

/** Parses a multipart/form-data body. Returns an empty form for other bodies. */
export const parseFormBody = async ({ headers, body }: FakeRequest): Promise<FormData> => {
  try {
    const response = new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } })
    return await response.formData()
  } catch {
    return new FormData()
  }
}

/** Returns whether a body has the format of the recording for recognition tests: RIFF/WAVE, 16 bit, mono, 8000 Hz. */
export const isRecording = (body: Buffer): boolean =>
  body.subarray(0, 4).toString() === 'RIFF' &&
  body.readUInt16LE(22) === 1 &&
  body.readUInt32LE(24) === 8000 &&
  body.readUInt16LE(34) === 16 &&
  body.length > 16_000

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { MPEGDecoder } from 'mpg123-decoder'
import { type ClientOptions, WebSocket } from 'ws'

/**
 * Simulates a feature server that records calls (docs/reference/platform-api/recordings.md#recording-websocket), and
 * analyzes the recorded audio.
 */

/** Returns a tone per channel in the platform's audio format: 16 bit little-endian, two interleaved channels. */
export const tones = (hertz: readonly [number, number], seconds: number, sampleRate = 8000): Buffer => {
  const samples = Math.round(seconds * sampleRate)
  const audio = Buffer.alloc(samples * 4)
  for (let at = 0; at < samples; at += 1)
    for (const channel of [0, 1] as const)
      audio.writeInt16LE(
        Math.round(12_000 * Math.sin((2 * Math.PI * hertz[channel] * at) / sampleRate)),
        at * 4 + 2 * channel,
      )
  return audio
}

export interface RecordedAudio {
  sampleRate: number
  seconds: number
  /** Dominant frequency of each channel in Hz. */
  hertz: number[]
}

/** Returns the frequency of a pure tone by counting upward zero crossings. */
const measureFrequency = (samples: Float32Array, sampleRate: number): number => {
  let crossings = 0
  for (let at = 1; at < samples.length; at += 1)
    if ((samples[at - 1] ?? 0) < 0 && (samples[at] ?? 0) >= 0) crossings += 1
  return Math.round((crossings * sampleRate) / samples.length)
}

const analyze = (channels: readonly Float32Array[], sampleRate: number): RecordedAudio => ({
  sampleRate,
  seconds: (channels[0]?.length ?? 0) / sampleRate,
  // Only the middle is analyzed, because encoders add silence at both ends.
  hertz: channels.map((samples) =>
    measureFrequency(samples.subarray(samples.length / 4, (samples.length * 3) / 4), sampleRate),
  ),
})

export const hearMp3 = async (file: Buffer): Promise<RecordedAudio> => {
  const decoder = new MPEGDecoder()
  await decoder.ready
  const { channelData, sampleRate } = decoder.decode(file)
  decoder.free()
  return analyze(channelData, sampleRate)
}

export interface RecordedCall {
  /** For example `ws://127.0.0.1:3000`. */
  url: string
  account_sid: string
  call_sid?: string
  sampleRate?: number
  metadata?: object
  options?: ClientOptions
}

export interface Recorder {
  call_sid: string
  socket: WebSocket
  /** Sends audio in frames of `frameBytes`. Resolves when the socket has accepted all of them. */
  say(audio: Buffer, frameBytes?: number): Promise<void>
  hangUp(): Promise<void>
  /** Resolves with code and reason when the server closes the socket. */
  closed: Promise<[number, string]>
}

export const openRecordSocket = (url: string, options: ClientOptions = {}): WebSocket => new WebSocket(url, options)

export const startRecording = async ({
  url,
  account_sid,
  call_sid = randomUUID(),
  sampleRate = 8000,
  metadata = {},
  options = {},
}: RecordedCall): Promise<Recorder> => {
  const socket = openRecordSocket(`${url}/record/aws_s3`, options)
  const closed = once(socket, 'close').then(([code, reason]): [number, string] => [Number(code), String(reason)])
  await once(socket, 'open')
  const call = { mixType: 'stereo', direction: 'inbound', from: '1508', to: '1888', callId: randomUUID() }
  socket.send(JSON.stringify({ sampleRate, callSid: call_sid, accountSid: account_sid, ...call, ...metadata }))
  return {
    call_sid,
    socket,
    closed,
    say: async (audio, frameBytes = 3200) => {
      let lastFrame = Promise.resolve()
      for (let from = 0; from < audio.length; from += frameBytes)
        lastFrame = new Promise((resolve, reject) => {
          socket.send(audio.subarray(from, from + frameBytes), (error) => (error ? reject(error) : resolve()))
        })
      await lastFrame
    },
    async hangUp() {
      socket.close()
      await closed
    },
  }
}

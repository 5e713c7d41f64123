import type { FastifyBaseLogger } from 'fastify'
import { rm } from 'node:fs/promises'
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import { type Duplex, Readable } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { RecordingAccounts } from '../../stores/bucket-credentials.ts'
import { createTurns } from '../../turns.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { createDraft, mendDraft } from '../recordings/draft.ts'
import { createDrafts, type DraftNote } from '../recordings/drafts.ts'
import { encodingThreads } from '../recordings/encode-threads.ts'
import { createEncoder } from '../recordings/encoders.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { type RecordMetadata, readRecordMetadata } from './record-metadata.ts'
import { areCredentials, basicCredentials, type Credentials, isAddressedTo, isOfWebPage } from './writers.ts'

/** Recordings of calls while they are made (api/4-calls-and-hosted.md §2.8): first what call it is, then its audio. */

export interface RecordLimits {
  /** at a time, and of them of one account */
  sockets: number
  ofAccount: number
  /** that one may take, may stay without a word, and may need to say what it is */
  seconds: number
  idleSeconds: number
  metadataSeconds: number
}

const usual: RecordLimits = { sockets: 500, ofAccount: 250, seconds: 4 * 3600, idleSeconds: 60, metadataSeconds: 10 }

export interface RecordSocketOptions {
  server: Server
  logger: FastifyBaseLogger
  /** who may write: with credentials, or by that name from this machine, or nobody */
  writers: { credentials: Credentials } | { host: string } | null
  dataDir: string
  accounts: RecordingAccounts
  recordings: Recordings
  limits?: Partial<RecordLimits>
}

/** Of a frame; the feature server's have a few thousand. */
const mostBytes = 256 * 1024

/** Audio that waits to be encoded; then its sender waits. */
const waitingBytes = 64 * 1024

/** How long a storage may take while the server closes; then the recording is kept as a file. */
const closingMilliseconds = 3000

/** How often it is looked for drafts of processes that were killed while this one lives. */
const recoverMilliseconds = 60_000

/** Why a socket is closed, by the codes of RFC 6455 §7.4. */
class Unwanted extends Error {
  readonly code: number
  constructor(code: number, reason: string) {
    super(reason)
    this.code = code
  }
}

interface Incoming {
  /** the first text; later ones are notices, and dropped */
  metadata: Promise<string>
  /** Ends with the socket, or when it is told to. */
  audio: Readable
  end(code: number, reason: string): void
}

/** The sender waits while its audio is not read. */
const incomingOf = (socket: WebSocket): Incoming => {
  const audio = new Readable({ highWaterMark: waitingBytes, read: () => socket.resume() })
  let isOver = false
  let giveUp = () => {}
  const metadata = new Promise<string>((resolve, reject) => {
    giveUp = () => reject(new Unwanted(1000, 'nothing was recorded'))
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) resolve(data.toString())
      else if (!isOver && !audio.push(data)) socket.pause()
    })
  })
  const finish = () => {
    if (isOver) return
    isOver = true
    giveUp()
    audio.push(null)
    // Whatever still comes is read and dropped, so that the end is.
    socket.resume()
  }
  socket.once('close', finish)
  // Close follows.
  socket.on('error', () => {})
  return {
    metadata,
    audio,
    end(code, reason) {
      finish()
      socket.close(code, reason)
      setTimeout(() => socket.terminate(), 2000).unref()
    },
  }
}

/** Ends what is there no more: whoever is alive answers pings, or sends. */
const watch = (socket: WebSocket, idleSeconds: number): void => {
  let heard = Date.now()
  const hear = () => {
    heard = Date.now()
  }
  socket.on('message', hear).on('pong', hear)
  const timer = setInterval(
    () => {
      if (!socket.isPaused && Date.now() - heard > idleSeconds * 1000) socket.terminate()
      else socket.ping()
    },
    (idleSeconds * 1000) / 2,
  )
  socket.once('close', () => clearInterval(timer))
}

const turnAway = (socket: Duplex, status: number): void => {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** The date by the server's clock, YYYY-MM-DD. */
const today = (): string => {
  const now = new Date()
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

/** Takes the server's upgrades. What is answered ends and keeps all recordings under way. */
export const acceptRecordings = ({
  server,
  logger,
  writers,
  dataDir,
  accounts,
  recordings,
  limits,
}: RecordSocketOptions): (() => Promise<void>) => {
  const { sockets, ofAccount, seconds, idleSeconds, metadataSeconds } = { ...usual, ...limits }
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: mostBytes,
  })
  const drafts = createDrafts(dataDir)
  const sessions = new Map<Incoming, Promise<void>>()
  // Each thread has a piece, and the next one waiting.
  const encoding = createTurns({ atOnce: 2 * encodingThreads, most: 1 })
  const recording = new Map<string, number>()
  const closing = new AbortController()
  let isClosing = false

  const mayWrite = (request: IncomingMessage): boolean => {
    if (writers === null || isOfWebPage(request)) return false
    if ('credentials' in writers) return areCredentials(basicCredentials(request), writers.credentials)
    return isAddressedTo(writers.host, request)
  }

  /** undefined: it may; else the status that it is answered. */
  const refusalOf = (request: IncomingMessage): number | undefined => {
    if (!request.url?.includes('/record/')) return 404
    if (!mayWrite(request)) return 403
    return isClosing || sessions.size >= sockets ? 503 : undefined
  }

  const wanted = async (text: string): Promise<RecordMetadata & { format: 'mp3' | 'wav' }> => {
    const metadata = readRecordMetadata(text)
    if (metadata === undefined) throw new Unwanted(1007, 'the metadata cannot be read')
    const format = await accounts.format(metadata.account_sid)
    if (format === undefined) throw new Unwanted(1008, 'there is no such account')
    return { ...metadata, format }
  }

  const take = async (
    audio: Readable,
    { sampleRate, format, ...call }: Awaited<ReturnType<typeof wanted>>,
    day: string,
  ) => {
    const { account_sid, call_sid, texts } = call
    const name = { call_sid, day, format }
    const file = await drafts.begin({ account_sid, ...name, sampleRate, metadata: texts })
    await encoding.enter(file, async (turn) => {
      const draft = await createDraft(file, createEncoder(format, sampleRate), turn)
      try {
        for await (const samples of audio) await draft.write(samples as Buffer)
      } finally {
        if (await draft.finish()) await recordings.save({ account_sid, name, file, metadata: texts }, closing.signal)
        await drafts.done(file)
      }
    })
  }

  /** What was heard until its process was killed. What is there of that call came later, and stays. */
  const finish = async (file: string, { account_sid, sampleRate, metadata, ...name }: DraftNote): Promise<void> => {
    const isWanted =
      (await accounts.format(account_sid)) !== undefined &&
      (await mendDraft(file, createEncoder(name.format, sampleRate))) &&
      (await recordings.find(account_sid, name).catch(() => undefined)) === undefined
    if (!isWanted) return rm(file, { force: true })
    await recordings.save({ account_sid, name, file, metadata }, closing.signal)
    logger.warn({ account_sid, ...name }, 'a recording that a killed process left was finished')
  }
  const onLost = (error: unknown) => {
    logger.error(
      { err: error },
      'unfinished recordings of before could not be recovered; they are tried again in a minute',
    )
  }
  const recover = async (): Promise<void> => {
    if (!isClosing) await drafts.recover(finish, onLost).catch(onLost)
  }
  let recovering = recover()
  const recoveries = setInterval(() => {
    recovering = recovering.then(recover)
  }, recoverMilliseconds).unref()

  /** One of an account's, as long as the work takes. */
  const seated = async (account_sid: string, work: () => Promise<void>): Promise<void> => {
    const here = recording.get(account_sid) ?? 0
    if (here >= ofAccount) throw new Unwanted(1013, 'too many recordings of this account at a time')
    recording.set(account_sid, here + 1)
    try {
      await work()
    } finally {
      const left = (recording.get(account_sid) ?? 1) - 1
      if (left > 0) recording.set(account_sid, left)
      else recording.delete(account_sid)
    }
  }

  const record = async ({ metadata, audio, end }: Incoming): Promise<void> => {
    const day = today()
    const tooLong = setTimeout(() => end(1000, 'a recording may be no longer'), seconds * 1000)
    try {
      const late = () => new Unwanted(1008, 'no metadata came')
      const call = await wanted(await withTimeLimit(metadata, metadataSeconds, late))
      await seated(call.account_sid, () => take(audio, call, day))
      end(1000, '')
    } catch (error) {
      if (!(error instanceof Unwanted)) logger.error({ err: error }, 'a call could not be recorded')
      end(
        error instanceof Unwanted ? error.code : 1011,
        error instanceof Unwanted ? error.message : 'it cannot be stored',
      )
    } finally {
      clearTimeout(tooLong)
    }
  }

  const begin = (socket: WebSocket): void => {
    watch(socket, idleSeconds)
    const incoming = incomingOf(socket)
    sessions.set(
      incoming,
      record(incoming).finally(() => sessions.delete(incoming)),
    )
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {})
    const status = refusalOf(request)
    if (status === undefined) webSockets.handleUpgrade(request, socket, head, begin)
    else turnAway(socket, status)
  })

  return async () => {
    isClosing = true
    const timer = setTimeout(() => closing.abort(), closingMilliseconds)
    for (const { end } of sessions.keys()) end(1001, 'the server is closing')
    clearInterval(recoveries)
    await Promise.all([...sessions.values(), recovering])
    clearTimeout(timer)
    drafts.close()
  }
}

import { rm } from 'node:fs/promises'
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import { encodingProcesses } from '../../adapters/mp3/encoder-pool.ts'
import type { Credentials } from '../../config/option-types.ts'
import { toClientNetwork } from '../../lib/client-network.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import { intakeEvents } from '../../lib/telemetry.ts'
import { withTimeout } from '../../lib/timeout.ts'
import type { RecordingAccounts } from '../../resources/shared/bucket-credentials.ts'
import { areCredentials, getBasicCredentials, isFromBrowser, isLocal } from '../ingest/credentials.ts'
import { createPendingConnections, type PendingConnectionLimits } from '../ingest/pending-connections.ts'
import { getRejectionReason } from '../ingest/rejection-reason.ts'
import type { RecordingAllowance, RecordingQuota } from '../quotas/recording-quota.ts'
import { createEncoder } from './encoders.ts'
import { createDraft, repairDraft } from './partial-recording.ts'
import { createDrafts, type DraftNote } from './partial-recordings.ts'
import type { FinishedRecording } from './recording.ts'
import { parseRecordMetadata, type RecordMetadata } from './recording-metadata.ts'
import { newRecordingId, TooManyVersions } from './recording-names.ts'
import { CloseConnection, endWhenIdle, openRecordStream, type RecordStream } from './recording-stream.ts'
import type { Recordings } from './recordings.ts'

/**
 * Records calls that feature servers send over WebSockets
 * (docs/reference/platform-api/recordings.md#recording-websocket). A recording is written to disk while it is received,
 * and is stored permanently before its connection is closed. Uploads run in the background.
 */

export interface RecordLimits extends PendingConnectionLimits {
  /** Maximum number of concurrent recordings, in total and per account. */
  sockets: number
  socketsPerAccount: number
  /** Maximum duration of a recording. */
  seconds: number
  idleSeconds: number
  /** Maximum time until a connection sends its metadata. */
  metadataSeconds: number
}

const defaultLimits: RecordLimits = {
  sockets: 500,
  socketsPerAccount: 250,
  seconds: 4 * 3600,
  idleSeconds: 60,
  metadataSeconds: 10,
  maxPending: 256,
  maxPendingPerAddress: 200,
  busyTimeoutMs: 2000,
}

export interface RecordSocketOptions {
  server: Server
  logger: FastifyBaseLogger
  /**
   * Allowed writers: clients with credentials, or clients that use this host name or a local one. Null allows no
   * client.
   */
  writers: { credentials: Credentials } | { host: string } | null
  dataDir: string
  accounts: Pick<RecordingAccounts, 'format'>
  recordings: Pick<Recordings, 'store'>
  quota: RecordingQuota
  /** Returns the client's IP address. */
  getClientAddress?: (request: IncomingMessage) => string
  limits?: Partial<RecordLimits>
}

/** Maximum message size. Messages of the feature server have a few thousand bytes. */
const maxMessageBytes = 256 * 1024

/** Interval between searches for drafts of processes that were killed. */
const recoveryIntervalMs = 60_000

const rejectUpgrade = (socket: Duplex, status: number): void => {
  intakeEvents.publish({ is: 'request_rejected', intake: 'recordings', reason: getRejectionReason(status) })
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** Returns the date in the server's time zone, YYYY-MM-DD. */
const today = (): string => {
  const now = new Date()
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

type Call = RecordMetadata & { format: 'mp3' | 'wav' }

/** Handles the server's upgrade requests. Returns a function that ends all recordings and stores them. */
export const acceptRecordings = ({
  server,
  logger,
  writers,
  dataDir,
  accounts,
  recordings,
  quota,
  getClientAddress = ({ socket }) => socket.remoteAddress ?? '',
  limits: overrides,
}: RecordSocketOptions): (() => Promise<void>) => {
  const limits = { ...defaultLimits, ...overrides }
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
  })
  const drafts = createDrafts(dataDir)
  const pending = createPendingConnections(limits)
  const connections = new Map<RecordStream, Promise<void>>()
  // Two pieces per process: one in progress and one waiting.
  const encoding = createFairQueue({ name: 'recording_encoding', concurrency: 2 * encodingProcesses, max: 1 })
  const countByAccount = new Map<string, number>()
  let recordingCount = 0
  let isClosing = false

  const isAllowedToWrite = (request: IncomingMessage): boolean => {
    if (writers === null || isFromBrowser(request)) return false
    if ('credentials' in writers) return areCredentials(getBasicCredentials(request), writers.credentials)
    return isLocal(writers.host, request)
  }

  /** Returns the status with which to reject the request, or undefined to accept it. */
  const getRejectionStatus = (request: IncomingMessage): number | undefined => {
    if (!request.url?.includes('/record/')) return 404
    if (!isAllowedToWrite(request)) return 403
    return isClosing || recordingCount >= limits.sockets ? 503 : undefined
  }

  const store = async (recorded: FinishedRecording): Promise<void> => {
    const version = await recordings.store(recorded)
    const { account_sid, name } = recorded
    if (version !== undefined) intakeEvents.publish({ is: 'stored', data: 'recordings', count: 1 })
    if (version === undefined) logger.warn({ account_sid, ...name }, 'recording dropped: the account was deleted')
    if (version !== undefined && version > 1)
      logger.warn(
        { account_sid, ...name, version },
        'the call was already recorded; the recording is stored as another version',
      )
  }

  const quotaReached = () => new CloseConnection(1008, 'the account has used up its quota for recordings')

  /** Enforces the recording quota of an account. Audio received before the quota is reached is stored. */
  const withinQuota = async (
    account_sid: string,
    work: (allowance: RecordingAllowance) => Promise<void>,
  ): Promise<void> => {
    const allowance = await quota.begin(account_sid)
    if (allowance === undefined) {
      logger.warn({ account_sid }, 'recording rejected: the account has used up its quota for recordings')
      throw quotaReached()
    }
    try {
      await work(allowance)
    } finally {
      await allowance.end()
    }
  }

  const storeAudio = async (
    audio: Readable,
    { sampleRate, format, ...call }: Call,
    allowance: RecordingAllowance,
  ): Promise<void> => {
    const { account_sid, call_sid, storageMetadata: metadata } = call
    const name = { call_sid, day: today(), format }
    const recording_id = newRecordingId()
    const file = await drafts.begin({ account_sid, ...name, sampleRate, metadata, recording_id })
    await encoding.run(file, async (runStep) => {
      const draft = await createDraft(file, createEncoder(format, sampleRate), runStep)
      try {
        for await (const samples of audio) {
          await draft.write(samples as Buffer)
          if (!allowance.grow(draft.size())) throw quotaReached()
        }
      } finally {
        if (await draft.finish()) await store({ account_sid, name, file, metadata, recording_id })
        intakeEvents.publish({ is: 'received', intake: 'recordings', bytes: draft.size() })
        await drafts.done(file)
      }
    })
  }

  /** Runs `work` in a recording slot of the account. The slot is free again when the recording is on disk. */
  const withUploadSlot = async (account_sid: string, work: () => Promise<void>): Promise<void> => {
    const count = countByAccount.get(account_sid) ?? 0
    if (count >= limits.socketsPerAccount)
      throw new CloseConnection(1013, 'too many recordings of this account at a time')
    countByAccount.set(account_sid, count + 1)
    try {
      await work()
    } finally {
      const remaining = (countByAccount.get(account_sid) ?? 1) - 1
      if (remaining > 0) countByAccount.set(account_sid, remaining)
      else countByAccount.delete(account_sid)
    }
  }

  const record = async ({ audio, end }: RecordStream, metadata: RecordMetadata): Promise<void> => {
    if (recordingCount >= limits.sockets) throw new CloseConnection(1013, 'too many recordings at a time')
    recordingCount += 1
    const tooLong = setTimeout(() => end(1000, 'the recording exceeds the maximum length'), limits.seconds * 1000)
    try {
      const { account_sid } = metadata
      const format = await accounts.format(account_sid)
      if (format === undefined) throw new CloseConnection(1008, 'the account does not exist')
      const call = { ...metadata, format }
      await withUploadSlot(account_sid, () =>
        withinQuota(account_sid, (allowance) => storeAudio(audio, call, allowance)),
      )
    } finally {
      clearTimeout(tooLong)
      recordingCount -= 1
    }
  }

  /** Waits for the metadata. The connection uses no recording slot until then. */
  const receiveMetadata = async (stream: RecordStream, address: string): Promise<RecordMetadata> => {
    const removePending = pending.add(address, () => stream.drop(1013, 'too many connections without metadata'))
    try {
      const createTimeoutError = () => new CloseConnection(1008, 'no metadata received')
      const metadata = parseRecordMetadata(
        await withTimeout(stream.metadata, limits.metadataSeconds, createTimeoutError),
      )
      if (metadata === undefined) throw new CloseConnection(1007, 'the metadata cannot be parsed')
      return metadata
    } finally {
      removePending()
    }
  }

  const toCloseReason = (error: unknown): CloseConnection => {
    if (error instanceof CloseConnection) return error
    if (error instanceof TooManyVersions) {
      logger.warn({ err: error }, 'recording rejected: the call was recorded too often')
      return new CloseConnection(1008, 'this call was recorded too often')
    }
    logger.error({ err: error }, 'a recording could not be stored')
    return new CloseConnection(1011, 'it cannot be stored')
  }

  const serve = async (stream: RecordStream, address: string): Promise<void> => {
    try {
      await record(stream, await receiveMetadata(stream, address))
      stream.end(1000, '')
    } catch (error) {
      const { code, message } = toCloseReason(error)
      intakeEvents.publish({ is: 'rejected', data: 'recordings', reason: getRejectionReason(code), count: 1 })
      stream.end(code, message)
    }
  }

  /** Stores the draft of a process that was killed. */
  const finishDraft = async (file: string, note: DraftNote): Promise<void> => {
    const { account_sid, sampleRate, metadata, recording_id, ...name } = note
    const hasAudio =
      (await accounts.format(account_sid)) !== undefined &&
      (await repairDraft(file, createEncoder(name.format, sampleRate)))
    if (!hasAudio) return rm(file, { force: true })
    await store({ account_sid, name, file, metadata, recording_id })
    logger.warn({ account_sid, ...name }, 'completed a recording that the end of a process had interrupted')
  }
  const onRecoveryFailed = (error: unknown) => {
    logger.error({ err: error }, 'interrupted recordings could not be recovered; retrying in a minute')
  }
  const recover = async (): Promise<void> => {
    if (!isClosing) await drafts.recover(finishDraft, onRecoveryFailed).catch(onRecoveryFailed)
  }
  let recovering = recover()
  const recoveries = setInterval(() => {
    recovering = recovering.then(recover)
  }, recoveryIntervalMs).unref()

  const connect = (socket: WebSocket, address: string): void => {
    endWhenIdle(socket, limits.idleSeconds)
    const stream = openRecordStream(socket)
    connections.set(
      stream,
      serve(stream, address).finally(() => connections.delete(stream)),
    )
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {})
    const status = getRejectionStatus(request)
    if (status !== undefined) return rejectUpgrade(socket, status)
    const address = toClientNetwork(getClientAddress(request))
    webSockets.handleUpgrade(request, socket, head, (webSocket) => connect(webSocket, address))
  })

  return async () => {
    isClosing = true
    for (const stream of connections.keys()) stream.end(1001, 'the server is closing')
    clearInterval(recoveries)
    await Promise.all([...connections.values(), recovering])
    drafts.close()
  }
}

import { createHash } from 'node:crypto'
import type { Capture } from '@patchbay/contract/call-captures'
import { isIncluded } from './capture-filter.ts'
import { toCapture } from './capture-response.ts'
import type { CaptureFilter, Captures, ReceivedMessage } from './captures.ts'
import { toPcap } from './pcap.ts'

/** Reads the messages of a Call-ID from a store that returns them in batches. */

/**
 * A call has a few dozen messages, a registration a few per minute. If there are more, the first messages of a call are
 * returned, but the newest of a registration, which is refreshed as long as its carrier is active.
 */
const maxMessages = 2000
const maxBytes = 8 * 1024 * 1024

/** Maximum number of rows to read for the messages that a filter includes. */
const maxRows = 10_000

const batchSize = 100

export interface StoredMessage extends ReceivedMessage {
  /** Distinguishes messages with the same time. */
  message_key: string
  /** Orders messages with the same time. 0 for messages of versions that did not store it. */
  arrival: number
}

/** A batch of the messages of a Call-ID. */
export interface MessageBatch {
  sip_callid: string
  from: 'oldest' | 'newest'
  /** The message before the first one of the batch. */
  after: Pick<StoredMessage, 'at' | 'message_key'> | undefined
  limit: number
}

/** Returns the SHA-256 of endpoints and content, so that a repeated packet has the same key. */
export const getMessageKey = ({ source, destination, content }: ReceivedMessage): string =>
  createHash('sha256')
    .update(JSON.stringify([source, destination]))
    .update(content)
    .digest('hex')

let latestArrival = 0

/**
 * Returns the position of a message in the order of arrival: microseconds since the Unix epoch, different for each message
 * of this process. Messages with the same time stamp are common over TCP.
 */
export const nextArrival = (now: number): number => {
  latestArrival = Math.max(latestArrival + 1, now * 1000)
  return latestArrival
}

type SelectBatch = (batch: MessageBatch) => Promise<StoredMessage[]>

interface CaptureResult {
  /** Ordered by time. */
  messages: ReceivedMessage[]
  /** Set if there are more messages: the end at which they are missing. */
  cut_at?: NonNullable<Capture['cut_at']>
}

const everything: CaptureFilter = { kinds: ['invite', 'register'], includes: () => true }

const readMessages = async (
  selectBatch: SelectBatch,
  sip_callid: string,
  filter = everything,
): Promise<CaptureResult> => {
  // See `maxMessages`: a registration is refreshed continuously, so its newest messages are read.
  const from = filter.kinds.includes('invite') ? 'oldest' : 'newest'
  const messages: StoredMessage[] = []
  const inOrder = () =>
    (from === 'oldest' ? messages : messages.toReversed()).toSorted((a, b) => a.at - b.at || a.arrival - b.arrival)
  let [bytes, rowCount] = [0, 0]
  let after: MessageBatch['after']
  while (messages.length < maxMessages && bytes < maxBytes && rowCount < maxRows) {
    const batch = await selectBatch({ sip_callid, from, after, limit: batchSize })
    for (const message of batch) {
      if (!isIncluded(filter, message.method, message.at)) continue
      bytes += message.content.length
      messages.push(message)
    }
    const last = batch.at(-1)
    if (last === undefined || batch.length < batchSize) return { messages: inOrder() }
    rowCount += batch.length
    after = last
  }
  const isAll = (await selectBatch({ sip_callid, from, after, limit: 1 })).length === 0
  return { messages: inOrder(), ...(isAll ? {} : { cut_at: from === 'oldest' ? 'end' : 'beginning' }) }
}

/** Creates the reader of captured SIP of a store. */
export const createCaptureReader = (selectBatch: SelectBatch): Captures => ({
  filters: true,

  async read(sip_callid, filter) {
    const { messages, cut_at } = await readMessages(selectBatch, sip_callid, filter)
    return { ...toCapture(messages), ...(cut_at ? { is_cut: true, cut_at } : {}) }
  },

  async pcap(sip_callid, kind, filter) {
    const { messages } = await readMessages(selectBatch, sip_callid, filter)
    const selected = messages.filter(({ method }) => (method === 'REGISTER') === (kind === 'register'))
    return selected.length === 0 ? undefined : toPcap(selected)
  },
})

/** Counts what an intake could not store since the start, by reason, so that an administrator sees why data is missing. */

export type UnstoredReason = 'invalid' | 'no_address' | 'incomplete' | 'no_call_id' | 'other_protocol'

export interface UnstoredRecords {
  count: number
  /** The latest record, without texts of a call. */
  example: string
  /** IP address of the sender of the latest one. */
  sender: string
  /** Epoch milliseconds. */
  lastAt: number
}

export type OnUnstored = (reason: UnstoredReason, sender: string, getExample: () => string) => void

export interface UnstoredCounts {
  add: OnUnstored
  list(): ReadonlyMap<UnstoredReason, UnstoredRecords>
}

/** An example is described at most this often, because senders can send any number of packets. */
const exampleIntervalMs = 1000

export const createUnstoredCounts = (now: () => number = Date.now): UnstoredCounts => {
  const counts = new Map<UnstoredReason, UnstoredRecords>()
  return {
    add(reason, sender, getExample) {
      const before = counts.get(reason)
      const lastAt = now()
      if (before !== undefined && lastAt - before.lastAt < exampleIntervalMs) {
        before.count += 1
        return
      }
      counts.set(reason, { count: (before?.count ?? 0) + 1, example: getExample(), sender, lastAt })
    },
    list: () => counts,
  }
}

/** Labels complete "3 packets …". */
const labels: Readonly<Record<UnstoredReason, string>> = {
  invalid: 'malformed',
  no_address: 'without IP addresses (HEP chunks 3 and 4, or 5 and 6)',
  incomplete: 'without port, time, or payload',
  no_call_id: 'without a SIP message that has a Call-ID',
  other_protocol: 'of other protocols than SIP',
}

/** Keep-alives and reports about media are normal, and the others are errors of an agent. */
const warnings: ReadonlySet<UnstoredReason> = new Set(['invalid', 'no_address', 'incomplete'])

const minuteMs = 60_000

/**
 * Returns one or two sentences about what was not stored, and whether an agent sent wrong packets within the last hour.
 * Undefined if everything was stored.
 */
export const describeUnstored = (
  counts: ReadonlyMap<UnstoredReason, UnstoredRecords>,
  now: number,
): { detail: string; isWarning: boolean } | undefined => {
  const list = [...counts]
  if (list.length === 0) return undefined
  const recent = list.filter(([reason, { lastAt }]) => warnings.has(reason) && now - lastAt < 60 * minuteMs)
  const latest = recent.toSorted(([, a], [, b]) => b.lastAt - a.lastAt)[0]
  const parts = list.map(([reason, { count }]) => `${count.toLocaleString('en-US')} ${labels[reason]}`)
  const example = latest === undefined ? '' : ` Latest from ${latest[1].sender}: ${latest[1].example}.`
  return { detail: `Packets not stored since the start: ${parts.join(', ')}.${example}`, isWarning: recent.length > 0 }
}

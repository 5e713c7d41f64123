import type { DatabaseAddress } from '../config/option-types.ts'
import { getActiveSpan, type SpanAttributes } from '../lib/spans.ts'
import { queryEvents, queueEvents, type Unsubscribe } from '../lib/telemetry.ts'

/**
 * Creates spans of statements and of waits in queues from their events. Work that belongs to no request and no job has
 * none.
 */

const describeDatabase = (address: DatabaseAddress): SpanAttributes => {
  if (address.engine === 'sqlite') return { 'db.system.name': 'sqlite' }
  const { hostname, port, pathname } = new URL(address.url)
  return {
    'db.system.name': 'mysql',
    'db.namespace': decodeURIComponent(pathname.slice(1)),
    'server.address': hostname,
    'server.port': port === '' ? 3306 : Number(port),
  }
}

/** The text of a statement has placeholders in the place of values. */
const observeQueries = (address: DatabaseAddress): Unsubscribe => {
  const database = describeDatabase(address)
  return queryEvents.subscribe(({ pool, sql, seconds, hasFailed }) => {
    const parent = getActiveSpan()
    if (!parent?.isRecorded) return
    parent.addChild(seconds, () => {
      const operation = /^\s*([a-z]+)/i.exec(sql)?.[1]?.toUpperCase() ?? 'OTHER'
      return {
        name: operation,
        kind: 'client',
        attributes: {
          ...database,
          'db.operation.name': operation,
          'db.query.text': sql,
          'patchbay.database.pool': pool,
          ...(hasFailed ? { 'error.type': '_OTHER' } : {}),
        },
        hasFailed,
      }
    })
  })
}

const observeWaits = (): Unsubscribe =>
  queueEvents.subscribe((event) => {
    if (event.is !== 'started') return
    const parent = getActiveSpan()
    if (!parent?.isRecorded) return
    parent.addChild(event.waitedMs / 1000, () => ({
      name: `wait ${event.queue}`,
      kind: 'internal',
      attributes: { 'patchbay.queue.name': event.queue },
    }))
  })

/** Starts to create spans. Returns a function that ends it. */
export const observeWork = (address: DatabaseAddress): Unsubscribe => {
  const subscriptions = [observeQueries(address), observeWaits()]
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe()
  }
}

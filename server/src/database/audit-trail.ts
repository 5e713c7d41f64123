import { noOwner, type Owner } from '@patchbay/contract/api/access'
import type { AuditChange } from '@patchbay/contract/audit-trail'
import type { AuditAction } from '@patchbay/contract/shared/audit'
import type { RecordKind } from '@patchbay/contract/shared/record-kinds'
import { isSecretName, maskAlertTarget, maskCredentialsInText } from '@patchbay/rules/masking/masking'
import type { Caller } from '../lib/caller.ts'
import { auditEvents } from '../lib/telemetry.ts'
import { type AuditRow, createEntryWriter } from './audit-tables.ts'
import { type Database, inTransaction } from './engine.ts'
import type { Author, Change, ChangeObserver, WriteTransaction } from './write-transaction.ts'

/**
 * The audit trail: records changes within their own transactions, and other events, such as denied requests, shortly
 * after they occur.
 */

const mask = '********'
const maxCharacters = 1000

/** Encrypted values are hidden too, because they are meaningless to readers. */
const isSecretField = (name: string): boolean => isSecretName(name) || name.endsWith('credential')

const maskText = (name: string, text: string): string =>
  name === 'target' ? maskAlertTarget(text) : maskCredentialsInText(text)

const maskValue = (name: string, value: unknown): unknown => {
  if (value === null || value === undefined || value === '') return null
  if (isSecretField(name)) return mask
  if (typeof value === 'string') return maskText(name, value).slice(0, maxCharacters)
  if (typeof value !== 'object' || value instanceof Date) return value
  // Users choose the names of environment variables, so all their values are masked.
  if (name === 'env_vars') return Object.fromEntries(Object.keys(value).map((variable) => [variable, mask]))
  if (Array.isArray(value)) return value.map((item) => maskValue(name, item))
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, maskValue(member, inner)]))
}

const isSameText = (before: unknown, after: unknown): boolean =>
  before !== null && after !== null && JSON.stringify(before) === JSON.stringify(after)

/** Returns whether two values are equal. Objects are compared by their JSON. Missing values equal null. */
const isSame = (previous: unknown, current: unknown): boolean => {
  const [before, after] = [previous ?? null, current ?? null]
  const isEqual = before === after
  return isEqual || ((typeof before === 'object' || typeof after === 'object') && isSameText(before, after))
}

type Row = Readonly<Record<string, unknown>>

/** Returns the changed fields with secrets masked. For a created or deleted record, returns all fields. */
export const changesBetween = (before: object | null, after: object | null): AuditChange[] => {
  const previous = (before ?? {}) as Row
  const current = (after ?? {}) as Row
  const changes: AuditChange[] = []
  // This runs with every write, so it looks only at the given fields. Fields that an update does not mention have not
  // changed.
  for (const field of Object.keys(after ?? previous)) {
    const isOmitted = before !== null && after !== null && current[field] === undefined
    if (isOmitted || isSame(previous[field], current[field])) continue
    changes.push({ field, before: maskValue(field, previous[field]), after: maskValue(field, current[field]) })
  }
  return changes
}

/** Returns a text field of the new record, or of the old one if the new one does not contain it. */
const getText = ({ before, after }: Change, name: string): string | null => {
  const value = ((after && name in after ? after : before) as Row | null)?.[name]
  return typeof value === 'string' && value !== '' ? value : null
}

const hasProvider = ({ account_sid, service_provider_sid }: Owner): boolean =>
  account_sid === null || service_provider_sid !== null

/** Adds the account's service provider, because the provider may read the account's audit trail. */
const withProvider = async ({ trx }: Pick<WriteTransaction, 'trx'>, owner: Owner): Promise<Owner> => {
  const account = await trx
    .selectFrom('accounts')
    .select('service_provider_sid')
    .where('account_sid', '=', owner.account_sid)
    .executeTakeFirst()
  return { ...owner, service_provider_sid: account?.service_provider_sid ?? null }
}

const getOwner = (change: Change): Owner => ({
  account_sid: getText(change, 'account_sid'),
  service_provider_sid: getText(change, 'service_provider_sid'),
})

const actorColumns = (author: Author) => {
  const withoutActor = { actor_sid: null, actor_name: null, actor_scope: null }
  if (author === 'patchbay') return { ...withoutActor, actor: author, address: null, request_id: null }
  const from = { address: author.address.slice(0, 64), request_id: author.request_id }
  if (author.token === 'nobody') return { ...withoutActor, ...from, actor: author.token }
  return { ...from, actor: author.token, actor_sid: author.sid, actor_name: author.name, actor_scope: author.scope }
}

/** An event other than a change, such as a sign-in or a denied request. */
export interface AuditEvent {
  action: AuditAction
  kind: RecordKind
  sid: string | null
  name: string | null
  /** Undefined if the caller is not signed in. */
  caller: Caller | undefined
  address: string
  request_id: string
  owner: Owner
  reason: string | null
}

/** Returns the caller and the owner of an event that a request caused. */
export const auditActor = (caller: Caller): Pick<AuditEvent, 'caller' | 'address' | 'request_id' | 'owner'> => {
  const { address, request_id, account_sid, service_provider_sid } = caller
  return { caller, address, request_id, owner: { account_sid, service_provider_sid } }
}

/** Returns the key of equal events. Only the first is recorded, with the number of occurrences. */
const toEventKey = ({ action, kind, sid, caller, address, owner, reason }: AuditEvent): string =>
  JSON.stringify([action, kind, sid, caller?.sid, address, owner, reason])

const flushDelayMs = 1000
/**
 * Maximum number of different events per address between two writes. Further events are merged into one entry per
 * address, or into one entry without an address when the batch is full. This way a flood neither fills the disk nor
 * hides other events.
 */
const maxPerAddress = 20
const batchSize = 500

const truncate = (text: string | null): string | null => text?.slice(0, 255) ?? null

const toRow = ({ caller, owner, reason, name, ...event }: AuditEvent, times: number): AuditRow => {
  const { action, kind, sid, address, request_id } = event
  const actor = actorColumns(caller ?? { token: 'nobody', address, request_id })
  const ownerColumns = { account_sid: owner.account_sid, service_provider_sid: owner.service_provider_sid }
  const fields = { action, kind, sid, name: truncate(name), changes: '[]', reason: truncate(reason) }
  return { ...fields, ...ownerColumns, ...actor, times }
}

export interface AuditTrail {
  /** Records the changes of a transaction within it. */
  observe: ChangeObserver
  /** Records another event within about a second. */
  note(event: AuditEvent): void
  /** Writes the pending events. */
  flush(): Promise<void>
}

export const noAuditTrail: AuditTrail = {
  observe: () => Promise.resolve([]),
  note: () => {},
  flush: () => Promise.resolve(),
}

/** @param onError called if events could not be written, in which case they are lost */
export const createAuditTrail = (
  { db, engine }: Pick<Database, 'db' | 'engine'>,
  onError: (error: unknown) => void,
): AuditTrail => {
  const writeEntries = createEntryWriter(engine)
  const pendingEvents = new Map<string, { event: AuditEvent; times: number }>()
  const countByAddress = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let writePromise = Promise.resolve()

  const changeRow = async (write: WriteTransaction, change: Change): Promise<AuditRow | undefined> => {
    const { action, kind, sid, before, after } = change
    const changes = changesBetween(before, after)
    if (action === 'update' && changes.length === 0) return undefined
    const changeOwner = change.owner ?? getOwner(change)
    const owner = hasProvider(changeOwner) ? changeOwner : await withProvider(write, changeOwner)
    const name = change.name ?? getText(change, 'name')
    const fields = {
      action,
      kind,
      sid: sid === '' ? null : sid,
      name: truncate(name),
      changes: JSON.stringify(changes),
    }
    const ownerColumns = { account_sid: owner.account_sid, service_provider_sid: owner.service_provider_sid }
    return { ...fields, reason: null, ...ownerColumns, ...actorColumns(write.author), times: 1 }
  }

  const limitEvent = (original: AuditEvent): AuditEvent => {
    const isFull = pendingEvents.size >= batchSize
    if (!isFull && (countByAddress.get(original.address) ?? 0) < maxPerAddress) return original
    const { action, kind } = original
    const address = isFull ? '' : original.address
    return {
      action,
      kind,
      sid: null,
      name: null,
      caller: undefined,
      address,
      request_id: '',
      owner: noOwner,
      reason: null,
    }
  }

  const writePending = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const all = [...pendingEvents.values()]
    pendingEvents.clear()
    countByAddress.clear()
    if (all.length === 0) return
    const rows = all.map(({ event, times }) => toRow(event, times))
    try {
      await inTransaction({ db }, (trx) => writeEntries(trx, rows))
      for (const { action } of rows) auditEvents.publish({ action })
    } catch (error) {
      onError(error)
    }
  }

  // Also waits for a write in progress, so that the database can be closed afterwards.
  const flush = (): Promise<void> => (writePromise = writePromise.then(writePending))

  return {
    async observe(write, changes) {
      const rows: AuditRow[] = []
      for (const change of changes) {
        const row = await changeRow(write, change)
        if (row) rows.push(row)
      }
      await writeEntries(write.trx, rows)
      return rows.map(({ action }) => action)
    },
    note(original) {
      const event = pendingEvents.has(toEventKey(original)) ? original : limitEvent(original)
      const key = toEventKey(event)
      if (!pendingEvents.has(key)) countByAddress.set(original.address, (countByAddress.get(original.address) ?? 0) + 1)
      pendingEvents.set(key, {
        event: pendingEvents.get(key)?.event ?? event,
        times: (pendingEvents.get(key)?.times ?? 0) + 1,
      })
      timer ??= setTimeout(() => void flush(), flushDelayMs).unref()
    },
    flush,
  }
}

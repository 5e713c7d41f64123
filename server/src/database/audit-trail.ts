import type { Owner } from '@patchbay/contract/access'
import type { AuditChange } from '@patchbay/contract/audit-trail'
import type { AuditAction } from '@patchbay/contract/shared/audit'
import { isSecretName, maskAlertTarget, maskCredentialsInText } from '@patchbay/contract/shared/masking'
import type { Caller } from '../lib/caller.ts'
import { type AuditRow, createEntryWriter } from './audit-tables.ts'
import { type Database, inTransaction } from './engine.ts'
import type { Author, Change, ChangeObserver, WriteTransaction } from './write-transaction.ts'

/** Records who changed what, in the transaction of the change itself; and after the fact what was refused. */

const mask = '********'
const maxCharacters = 1000

/** What is stored encrypted says nothing to anybody, and must not. */
const isHidden = (name: string): boolean => isSecretName(name) || name.endsWith('credential')

const maskedText = (name: string, text: string): string =>
  name === 'target' ? maskAlertTarget(text) : maskCredentialsInText(text)

const masked = (name: string, value: unknown): unknown => {
  if (value === null || value === undefined || value === '') return null
  if (isHidden(name)) return mask
  if (typeof value === 'string') return maskedText(name, value).slice(0, maxCharacters)
  if (typeof value !== 'object' || value instanceof Date) return value
  // People name them as they like, so that no name says which of them are secrets.
  if (name === 'env_vars') return Object.fromEntries(Object.keys(value).map((variable) => [variable, mask]))
  if (Array.isArray(value)) return value.map((item) => masked(name, item))
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, masked(member, inner)]))
}

const isSameText = (before: unknown, after: unknown): boolean =>
  before !== null && after !== null && JSON.stringify(before) === JSON.stringify(after)

/** Of plain values those that are one, of others those that read the same; what is not there is null. */
const isSame = (was: unknown, is: unknown): boolean => {
  const [before, after] = [was ?? null, is ?? null]
  const isOne = before === after
  return isOne || ((typeof before === 'object' || typeof after === 'object') && isSameText(before, after))
}

type Row = Readonly<Record<string, unknown>>

/** What differs, by field, secrets masked; of what was made or deleted, all that was said. */
export const changesBetween = (before: object | null, after: object | null): AuditChange[] => {
  const was = (before ?? {}) as Row
  const is = (after ?? {}) as Row
  const changes: AuditChange[] = []
  // Of a record's forty fields few differ: this runs with every write. What an update does not mention it has not changed.
  for (const field of Object.keys(after ?? was)) {
    const stays = before !== null && after !== null && is[field] === undefined
    if (stays || isSame(was[field], is[field])) continue
    changes.push({ field, before: masked(field, was[field]), after: masked(field, is[field]) })
  }
  return changes
}

/** Of what it is now, or where that does not say it, of what it was. */
const textOf = ({ before, after }: Change, name: string): string | null => {
  const value = ((after && name in after ? after : before) as Row | null)?.[name]
  return typeof value === 'string' && value !== '' ? value : null
}

const isWhole = ({ account_sid, service_provider_sid }: Owner): boolean =>
  account_sid === null || service_provider_sid !== null

/** An account belongs to a provider, which may see what is done to it. */
const wholeOwner = async ({ trx }: Pick<WriteTransaction, 'trx'>, owner: Owner): Promise<Owner> => {
  const account = await trx
    .selectFrom('accounts')
    .select('service_provider_sid')
    .where('account_sid', '=', owner.account_sid)
    .executeTakeFirst()
  return { ...owner, service_provider_sid: account?.service_provider_sid ?? null }
}

const ownerIn = (change: Change): Owner => ({
  account_sid: textOf(change, 'account_sid'),
  service_provider_sid: textOf(change, 'service_provider_sid'),
})

const actorColumns = (author: Author) => {
  const none = { actor_sid: null, actor_name: null, actor_scope: null }
  if (author === 'patchbay') return { ...none, actor: author, address: null, request_id: null }
  const from = { address: author.address.slice(0, 64), request_id: author.request_id }
  if (author.token === 'nobody') return { ...none, ...from, actor: author.token }
  return { ...from, actor: author.token, actor_sid: author.sid, actor_name: author.name, actor_scope: author.scope }
}

/** What happened beside the door for writes. */
export interface AuditEvent {
  action: AuditAction
  kind: string
  sid: string | null
  name: string | null
  /** undefined: somebody who is not signed in */
  caller: Caller | undefined
  address: string
  request_id: string
  owner: Owner
  reason: string | null
}

/** Who did something, and whose that is. */
export const auditActor = (caller: Caller): Pick<AuditEvent, 'caller' | 'address' | 'request_id' | 'owner'> => {
  const { address, request_id, account_sid, service_provider_sid } = caller
  return { caller, address, request_id, owner: { account_sid, service_provider_sid } }
}

/** Of the same happening the first is told, with how often it came. */
const keyOf = ({ action, kind, sid, caller, address, owner, reason }: AuditEvent): string =>
  JSON.stringify([action, kind, sid, caller?.sid, address, owner, reason])

const soonMilliseconds = 1000
/**
 * Different ones in that time, of an address and in all; what comes beside them is one entry of the address, or of none,
 * so that a flood fills no disk, and hides nobody else.
 */
const maxPerAddress = 20
const batchSize = 500

const cut = (text: string | null): string | null => text?.slice(0, 255) ?? null

const rowOf = ({ caller, owner, reason, name, ...happening }: AuditEvent, times: number): AuditRow => {
  const { action, kind, sid, address, request_id } = happening
  const actor = actorColumns(caller ?? { token: 'nobody', address, request_id })
  const ownerColumns = { account_sid: owner.account_sid, service_provider_sid: owner.service_provider_sid }
  const thing = { action, kind, sid, name: cut(name), changes: '[]', reason: cut(reason) }
  return { ...thing, ...ownerColumns, ...actor, times }
}

export interface AuditTrail {
  /** records what a transaction changed, with it */
  observe: ChangeObserver
  /** records what happened otherwise, within a second or so */
  note(happening: AuditEvent): void
  /** writes what has been noted */
  flush(): Promise<void>
}

export const noAuditTrail: AuditTrail = {
  observe: () => Promise.resolve(),
  note: () => {},
  flush: () => Promise.resolve(),
}

/** `onError`: told of notes that could not be written; they are lost */
export const createAuditTrail = (
  { db, engine }: Pick<Database, 'db' | 'engine'>,
  onError: (error: unknown) => void,
): AuditTrail => {
  const writeEntries = createEntryWriter(engine)
  const noted = new Map<string, { happening: AuditEvent; times: number }>()
  const ofAddress = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const changeRow = async (write: WriteTransaction, change: Change): Promise<AuditRow | undefined> => {
    const { action, kind, sid, before, after } = change
    const changes = changesBetween(before, after)
    if (action === 'update' && changes.length === 0) return undefined
    const known = change.owner ?? ownerIn(change)
    const owner = isWhole(known) ? known : await wholeOwner(write, known)
    const name = change.name ?? textOf(change, 'name')
    const thing = { action, kind, sid: sid === '' ? null : sid, name: cut(name), changes: JSON.stringify(changes) }
    const ownerColumns = { account_sid: owner.account_sid, service_provider_sid: owner.service_provider_sid }
    return { ...thing, reason: null, ...ownerColumns, ...actorColumns(write.author), times: 1 }
  }

  const uncrowded = (given: AuditEvent): AuditEvent => {
    const isCrowded = noted.size >= batchSize
    if (!isCrowded && (ofAddress.get(given.address) ?? 0) < maxPerAddress) return given
    const { action, kind } = given
    const address = isCrowded ? '' : given.address
    const owner = { account_sid: null, service_provider_sid: null }
    return { action, kind, sid: null, name: null, caller: undefined, address, request_id: '', owner, reason: null }
  }

  const writeNoted = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const all = [...noted.values()]
    noted.clear()
    ofAddress.clear()
    if (all.length === 0) return
    const rows = all.map(({ happening, times }) => rowOf(happening, times))
    try {
      await inTransaction({ db }, (trx) => writeEntries(trx, rows))
    } catch (error) {
      onError(error)
    }
  }

  // Who asks for it waits for what is being written already, too: after it the database may be closed.
  const flush = (): Promise<void> => (writing = writing.then(writeNoted))

  return {
    async observe(write, changes) {
      const rows: AuditRow[] = []
      for (const change of changes) {
        const row = await changeRow(write, change)
        if (row) rows.push(row)
      }
      await writeEntries(write.trx, rows)
    },
    note(given) {
      const happening = noted.has(keyOf(given)) ? given : uncrowded(given)
      const key = keyOf(happening)
      if (!noted.has(key)) ofAddress.set(given.address, (ofAddress.get(given.address) ?? 0) + 1)
      noted.set(key, { happening: noted.get(key)?.happening ?? happening, times: (noted.get(key)?.times ?? 0) + 1 })
      timer ??= setTimeout(() => void flush(), soonMilliseconds).unref()
    },
    flush,
  }
}

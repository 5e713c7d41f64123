import { randomUUID } from 'node:crypto'
import type {
  AlertDelivery,
  AlertDestination,
  AlertDestinationChange,
  NewAlertDestination,
} from '@patchbay/contract/alert-destinations'
import { alertDestinationTable } from '@patchbay/contract/alert-destinations/record'
import { type Actor, can, type Owner } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import { type DestinationKind, maxDestinations, validateDestination } from '@patchbay/contract/shared/destination-kinds'
import type { Kysely } from 'kysely'
import { ownedAlertDestinations, toOwner } from '../../auth/owner-lookup.ts'
import { resolveOwner } from '../../auth/resolve-owner.ts'
import { isDeliverable } from '../../call-data/alerts/delivery-queue.ts'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import { noLease } from '../../database/leases.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { deleteRecord } from '../shared/delete-records.ts'
import { newWebhookSecret } from '../shared/webhook-secret.ts'

/** SQL of alert destinations, except delivery (`call-data/alerts/delivery-queue.ts`). */

const maxListed = 1000
const maxMessageCharacters = 1000

const columns = [
  'alert_destination_sid',
  'name',
  'kind',
  'target',
  'types',
  'is_active',
  'once_per_hour',
  'created_at',
  'last_delivered_at',
  'failing_since',
  'last_error',
] as const
const qualifiedColumns = columns.map((column) => `patchbay_alert_destinations.${column}` as const)

const selectDestinations = (db: Kysely<Tables>) =>
  ownedAlertDestinations(db)
    .select(qualifiedColumns)
    .select((select) => [
      select.case().when(isDeliverable(select)).then(1).else(0).end().as('is_confirmed'),
      select
        .selectFrom('patchbay_alert_addresses as confirmation')
        .select('confirmation.sent_at')
        .whereRef('confirmation.alert_destination_sid', '=', 'patchbay_alert_destinations.alert_destination_sid')
        .whereRef('confirmation.target', '=', 'patchbay_alert_destinations.target')
        .where('patchbay_alert_destinations.kind', '=', 'email')
        .as('confirmation_sent_at'),
    ])
type Row = Awaited<ReturnType<ReturnType<typeof selectDestinations>['execute']>>[number]

const toTimestamp = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString()

const toAlertDestination = ({ own_provider, provider_of_account, ...row }: Row): AlertDestination => ({
  ...row,
  service_provider_sid: provider_of_account ?? own_provider ?? '',
  kind: row.kind as DestinationKind,
  is_confirmed: row.is_confirmed === 1 ? 1 : 0,
  confirmation_sent_at: toTimestamp(row.confirmation_sent_at),
  types: JSON.parse(row.types) as string[],
  created_at: toTimestamp(row.created_at),
  last_delivered_at: toTimestamp(row.last_delivered_at),
  failing_since: toTimestamp(row.failing_since),
})

export const createAlertDestinationStore = ({ db, reader }: Database, encryption: Encryption) => {
  const selectList = () =>
    selectDestinations(reader)
      .orderBy('patchbay_alert_destinations.name')
      .orderBy('alert_destination_sid')
      .limit(maxListed)
  const ofAccount = prepared(reader, (sid: string) =>
    selectList().where('patchbay_alert_destinations.account_sid', '=', sid),
  )
  const ofProvider = prepared(reader, (sid: string) =>
    selectList().where((where) =>
      where.or([
        where('patchbay_alert_destinations.service_provider_sid', '=', sid),
        where('accounts.service_provider_sid', '=', sid),
      ]),
    ),
  )
  const one = prepared(db, (sid: string) =>
    selectDestinations(db)
      .select(['patchbay_alert_destinations.webhook_secret', 'accounts.webhook_secret as account_secret'])
      .where('alert_destination_sid', '=', sid),
  )
  const countDeliveries = prepared(reader, (sid: string) =>
    reader
      .selectFrom('patchbay_alert_deliveries')
      .select(({ fn }) => fn.countAll<number | string>().as('total'))
      .where('alert_destination_sid', '=', sid),
  )
  const selectDeliveries = prepared(reader, (sid: string, limit: number, offset: number) =>
    reader
      .selectFrom('patchbay_alert_deliveries as delivery')
      .leftJoin('patchbay_alerts as alert', (join) =>
        join
          .onRef('alert.raised_at', '=', 'delivery.raised_at')
          .onRef('alert.raised_ns', '=', 'delivery.raised_ns')
          .onRef('alert.fingerprint', '=', 'delivery.fingerprint'),
      )
      .select([
        'delivery.delivery_sid',
        'delivery.queued_at',
        'delivery.alert_type',
        'delivery.state',
        'delivery.attempts',
        'delivery.attempted_at',
        'delivery.status',
        'delivery.error',
        'delivery.together',
      ])
      .select((select) =>
        select
          .fn<string | null>('substr', ['alert.message', select.lit(1), select.lit(maxMessageCharacters)])
          .as('message'),
      )
      .where('delivery.alert_destination_sid', '=', sid)
      .orderBy('delivery.queued_at', 'desc')
      .orderBy('delivery.delivery_sid', 'desc')
      .limit(limit)
      .offset(offset),
  )
  return {
    ofAccount: async (sid: string) => (await ofAccount(sid)).map(toAlertDestination),
    ofProvider: async (sid: string) => (await ofProvider(sid)).map(toAlertDestination),
    /** Returns a destination with the secret that signs its messages. */
    async read(sid: string): Promise<{ destination: AlertDestination; secret: string } | undefined> {
      const [row] = await one(sid)
      if (row === undefined) return undefined
      const { webhook_secret, account_secret, ...rest } = row
      const secret = rest.account_sid === null ? encryption.decrypt(webhook_secret ?? '') : account_secret
      return { destination: toAlertDestination(rest), secret: secret ?? '' }
    },
    /** Returns a page of the deliveries of a destination. A message is null if its alert has been deleted. */
    async deliveries(
      { alert_destination_sid: sid }: AlertDestination,
      page: number,
      size: number,
    ): Promise<{ total: number; data: AlertDelivery[] }> {
      const [[count], rows] = await Promise.all([countDeliveries(sid), selectDeliveries(sid, size, (page - 1) * size)])
      const data = rows.map((row) => ({
        ...row,
        state: row.state as AlertDelivery['state'],
        queued_at: new Date(row.queued_at).toISOString(),
        attempted_at: toTimestamp(row.attempted_at),
      }))
      return { total: Number(count?.total ?? 0), data }
    },
  }
}

/** Checks that the owner can create another destination. The lock on the owner serializes creations. */
const checkDestinationLimit = async (
  { trx, engine }: WriteTransaction,
  { account_sid, service_provider_sid }: Owner,
  max: number,
): Promise<void> => {
  const owner =
    account_sid === null
      ? lockForUpdate(
          engine,
          trx
            .selectFrom('service_providers')
            .select('service_provider_sid')
            .where('service_provider_sid', '=', service_provider_sid ?? ''),
        ).executeTakeFirst()
      : lockForUpdate(
          engine,
          trx.selectFrom('accounts').select('account_sid').where('account_sid', '=', account_sid),
        ).executeTakeFirst()
  if ((await owner) === undefined) throwApiError('not_found')
  const ownedDestinations = trx
    .selectFrom('patchbay_alert_destinations')
    .select('alert_destination_sid')
    .where((where) =>
      account_sid === null
        ? where('service_provider_sid', '=', service_provider_sid)
        : where('account_sid', '=', account_sid),
    )
  const { length } = await lockForUpdate(engine, ownedDestinations).execute()
  const message = `there are ${length} destinations already; at most ${max} can be created`
  if (length >= max) throwApiError('limit_exceeded', { msg: message, message })
}

/** Creates a destination of an account, or of a service provider itself, that has fewer than `max` destinations. */
export const createAlertDestination = async (
  write: WriteTransaction,
  actor: Actor,
  { account_sid: _account, service_provider_sid: _provider, types, ...settings }: NewAlertDestination,
  encryption: Encryption,
  max = maxDestinations,
): Promise<string> => {
  const owner = await resolveOwner(write.trx, actor, { account_sid: _account, service_provider_sid: _provider })
  if (owner.account_sid === null && owner.service_provider_sid === null)
    return throwInvalid('missing account_sid or service_provider_sid', 'account_sid')
  await checkDestinationLimit(write, owner, max)
  const { account_sid } = owner
  const sid = randomUUID()
  const row = {
    ...settings,
    alert_destination_sid: sid,
    account_sid,
    service_provider_sid: account_sid === null ? owner.service_provider_sid : null,
  }
  await write.trx
    .insertInto('patchbay_alert_destinations')
    .values({
      ...row,
      types: JSON.stringify(types),
      webhook_secret: account_sid === null ? encryption.encrypt(newWebhookSecret()) : null,
      created_at: Date.now(),
      ...noLease,
      minute_at: 0,
      minute_sent: 0,
      left_out: 0,
    })
    .execute()
  write.record({
    action: 'create',
    kind: 'alert_destination',
    sid,
    name: settings.name,
    owner,
    before: null,
    after: { ...row, types },
  })
  return sid
}

/** Locks and reads a destination. Returns undefined if it does not exist. */
export const lockAndReadDestination = async (
  { trx, engine }: Pick<WriteTransaction, 'trx' | 'engine'>,
  sid: string,
) => {
  const destinationRow = trx.selectFrom('patchbay_alert_destinations').select('alert_destination_sid')
  await lockForUpdate(engine, destinationRow.where('alert_destination_sid', '=', sid)).executeTakeFirst()
  return selectDestinations(trx).where('alert_destination_sid', '=', sid).executeTakeFirst()
}

/** Locks a destination for a change. Rejects if the actor has lost access since the request was authorized. */
const lockDestination = async (write: WriteTransaction, actor: Actor, sid: string) => {
  const row = await lockAndReadDestination(write, sid)
  if (row === undefined || !can(actor, 'write', toOwner(row))) return throwApiError('not_found')
  const { name, kind, target, types, is_active, once_per_hour } = toAlertDestination(row)
  return {
    owner: toOwner(row),
    isOfProvider: row.account_sid === null,
    before: { name, kind, target, types, is_active, once_per_hour },
  }
}

export const changeAlertDestination = async (
  write: WriteTransaction,
  actor: Actor,
  sid: string,
  changes: AlertDestinationChange,
): Promise<void> => {
  const { owner, before } = await lockDestination(write, actor, sid)
  const after = { ...before, ...changes }
  const fault = validateDestination(after.kind, after.target)
  if (fault !== undefined) throwInvalid(fault, 'target')
  await write.trx
    .updateTable('patchbay_alert_destinations')
    .set({ ...after, types: JSON.stringify(after.types), due_at: Date.now(), failing_since: null, last_error: null })
    .where('alert_destination_sid', '=', sid)
    .execute()
  write.record({ action: 'update', kind: 'alert_destination', sid, name: after.name, owner, before, after })
}

export const deleteAlertDestination = async (write: WriteTransaction, actor: Actor, sid: string): Promise<void> => {
  const { owner, before } = await lockDestination(write, actor, sid)
  await deleteRecord(write, alertDestinationTable, sid)
  write.record({ action: 'delete', kind: 'alert_destination', sid, name: before.name, owner, before, after: null })
}

/** Replaces the secret of a provider's destination. Destinations of accounts use the secret of the account. */
export const renewSecret = async (
  write: WriteTransaction,
  actor: Actor,
  sid: string,
  encryption: Encryption,
): Promise<string> => {
  const { owner, isOfProvider, before } = await lockDestination(write, actor, sid)
  if (!isOfProvider)
    return throwInvalid('requests are signed with the webhook secret of the account; change it there', 'regenerate')
  const webhook_secret = newWebhookSecret()
  await write.trx
    .updateTable('patchbay_alert_destinations')
    .set({ webhook_secret: encryption.encrypt(webhook_secret) })
    .where('alert_destination_sid', '=', sid)
    .execute()
  write.record({
    action: 'update',
    kind: 'alert_destination',
    sid,
    name: before.name,
    owner,
    before: { webhook_secret: 'the old one' },
    after: { webhook_secret: 'a new one' },
  })
  return webhook_secret
}

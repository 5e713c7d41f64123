import { type Actor, can, type Owner } from '@patchbay/contract/api/access'
import type { Endpoint } from '@patchbay/contract/api/endpoint'
import { type ApiErrorCode, throwApiError } from '@patchbay/contract/api/errors'
import { contract, type OwnedKind } from '@patchbay/contract/contract'
import type { Kysely, SelectQueryBuilder } from 'kysely'
import { type Database, lockForUpdate } from '../database/engine.ts'
import { platformTables } from '../database/platform-schema.ts'
import { type Compilable, prepared } from '../database/prepared-query.ts'
import type { Tables } from '../database/tables.ts'
import type { WriteTransaction } from '../database/write-transaction.ts'
import type { OwnerLookups } from '../http/authorize.ts'
import { type OwnerRows, toScopedOwner, usersWithStatus } from './principals.ts'

/** Finds the owner of a record by SID. Access is decided on it before a handler runs. */
export type Owners = OwnerLookups & OwnerRows

/** The columns that determine the owner of a row. */
export interface OwnedRow {
  account_sid: string | null
  /** The provider that the row names. */
  own_provider?: string | null
  provider_of_account?: string | null
}

/** Returns the owner. A record of an account also belongs to the account's provider, even if the row names another. */
export const toOwner = ({ account_sid, own_provider, provider_of_account }: OwnedRow): Owner => ({
  account_sid,
  service_provider_sid: provider_of_account ?? own_provider ?? null,
})

/** Alert destinations with their accounts, which determine the provider. */
export const ownedAlertDestinations = (db: Kysely<Tables>) =>
  db
    .selectFrom('patchbay_alert_destinations')
    .leftJoin('accounts', 'accounts.account_sid', 'patchbay_alert_destinations.account_sid')
    .select([
      'patchbay_alert_destinations.account_sid',
      'patchbay_alert_destinations.service_provider_sid as own_provider',
    ])
    .select('accounts.service_provider_sid as provider_of_account')

/** Carriers with the columns that determine the owner. */
export const ownedCarriers = (db: Kysely<Tables>) =>
  db
    .selectFrom('voip_carriers')
    .leftJoin('accounts', 'accounts.account_sid', 'voip_carriers.account_sid')
    .select(['voip_carriers.account_sid', 'voip_carriers.service_provider_sid as own_provider'])
    .select('accounts.service_provider_sid as provider_of_account')

/**
 * Phone numbers with the columns that determine the owner. A number without an account belongs to the provider it
 * names, or else to the provider of its carrier.
 */
export const ownedNumbers = (db: Kysely<Tables>) =>
  db
    .selectFrom('phone_numbers')
    .leftJoin('accounts', 'accounts.account_sid', 'phone_numbers.account_sid')
    .leftJoin('voip_carriers', 'voip_carriers.voip_carrier_sid', 'phone_numbers.voip_carrier_sid')
    .leftJoin('accounts as carrier_accounts', 'carrier_accounts.account_sid', 'voip_carriers.account_sid')
    .select(['phone_numbers.account_sid', 'accounts.service_provider_sid as provider_of_account'])
    .select(({ fn }) =>
      fn
        .coalesce(
          'phone_numbers.service_provider_sid',
          'carrier_accounts.service_provider_sid',
          'voip_carriers.service_provider_sid',
        )
        .as('own_provider'),
    )

/**
 * Speech credentials with the columns that determine the owner. A credential without an account belongs to the provider
 * it names.
 */
export const ownedSpeechCredentials = (db: Kysely<Tables>) =>
  db
    .selectFrom('speech_credentials')
    .leftJoin('accounts', 'accounts.account_sid', 'speech_credentials.account_sid')
    .select(['speech_credentials.account_sid', 'speech_credentials.service_provider_sid as own_provider'])
    .select('accounts.service_provider_sid as provider_of_account')

type PlatformTable = keyof typeof platformTables
type TableWithAccount = {
  [T in PlatformTable]: 'account_sid' extends keyof Tables[T] ? T : never
}[PlatformTable]

/**
 * Kinds of records whose table names the owner: the table is called `<kind>s`, its key `<kind>_sid`, and it has a column
 * `account_sid`. Accounts, users, and phone numbers have such tables, too, but other rules.
 */
type DerivedKind = Exclude<
  { [K in OwnedKind]: `${K}s` extends TableWithAccount ? K : never }[OwnedKind],
  'account' | 'user' | 'phone_number'
>

/**
 * Selects the rows of a table that has a column `account_sid`, as `record`, with the columns that determine their
 * owners.
 */
export const ownedRows = (db: Kysely<Tables>, table: TableWithAccount) => {
  // `applications` stands for any of the tables. Some have no column `service_provider_sid`.
  const rows = db
    .selectFrom(`${table as 'applications'} as record`)
    .leftJoin('accounts', 'accounts.account_sid', 'record.account_sid')
    .select(['record.account_sid', 'accounts.service_provider_sid as provider_of_account'])
  return 'service_provider_sid' in platformTables[table].columns
    ? rows.select('record.service_provider_sid as own_provider')
    : rows
}

/** Selects the columns of a record that determine its owner. */
const selectOwner = (db: Kysely<Tables>, kind: DerivedKind, sid: string) =>
  ownedRows(db, `${kind}s`).where(`record.${kind as 'application'}_sid`, '=', sid)

/** Returns the owner of a record, or undefined if the record does not exist. */
export const readOwner = async (db: Kysely<Tables>, kind: DerivedKind, sid: string): Promise<Owner | undefined> => {
  const row = await selectOwner(db, kind, sid).executeTakeFirst()
  return row && toOwner(row)
}

/**
 * Locks a record for a change until the end of the transaction, and returns its row and owner. Access is checked again,
 * because the record may have moved to another owner since the request was authorized.
 * @param rows selects the record
 * @param findOwner reads the owner of the locked record
 * @param forbiddenCode the error that the platform API prescribes for records of other owners
 * @throws ApiError `not_found` if the record does not exist, `forbiddenCode` if the actor has lost access to it
 */
export const lockAccessibleRow = async <T extends keyof Tables, Row>(
  { engine }: WriteTransaction,
  actor: Actor,
  rows: SelectQueryBuilder<Tables, T, Row>,
  findOwner: (row: Row) => Promise<Owner | undefined>,
  forbiddenCode: ApiErrorCode,
): Promise<{ row: Row; owner: Owner }> => {
  const row = (await lockForUpdate(engine, rows).executeTakeFirst()) ?? throwApiError('not_found')
  const owner = await findOwner(row)
  return owner && can(actor, 'write', owner) ? { row, owner } : throwApiError(forbiddenCode)
}

/** Locks a record whose table names the owner. Returns and throws what `lockAccessibleRow` does. */
export const lockOwnedRow = <T extends keyof Tables, Row>(
  write: WriteTransaction,
  actor: Actor,
  { kind, sid, rows }: { kind: DerivedKind; sid: string; rows: SelectQueryBuilder<Tables, T, Row> },
  forbiddenCode: ApiErrorCode,
): Promise<{ row: Row; owner: Owner }> =>
  lockAccessibleRow(write, actor, rows, () => readOwner(write.trx, kind, sid), forbiddenCode)

/** The kinds of records that endpoints are allowed for by owner. */
const ownedKinds = new Set(
  Object.values<Endpoint>(contract).flatMap(({ access: { owner } }) => (typeof owner === 'string' ? [] : owner.of)),
)

export const createOwnerLookups = ({ db }: Database, missingSchema: ReadonlySet<string>): Owners => {
  const lookup = (build: (sid: string) => Compilable<OwnedRow>) => {
    const find = prepared(db, build)
    return async (sid: string): Promise<Owner | undefined> => {
      const [row] = await find(sid)
      return row && toOwner(row)
    }
  }
  const accounts = prepared(db, (sid: string) =>
    db
      .selectFrom('accounts')
      .select(['account_sid', 'service_provider_sid', 'is_active'])
      .where('account_sid', '=', sid),
  )
  const users = prepared(db, (sid: string) => usersWithStatus(db).where('users.user_sid', '=', sid))
  // Outbound routing belongs to the account or provider that the row names. A provider does not own the routing of its
  // accounts (docs/reference/platform-api/outbound-routing.md#visibility-of-routings).
  const lcrs = () => db.selectFrom('lcr').select(['lcr.account_sid', 'lcr.service_provider_sid as own_provider'])
  const lcrRoutes = () => lcrs().innerJoin('lcr_routes', 'lcr_routes.lcr_sid', 'lcr.lcr_sid')
  const special: Omit<Owners, DerivedKind> = {
    account: async (sid) => (await accounts(sid))[0],
    user: async (sid) => {
      const [user] = await users(sid)
      return user && toScopedOwner(user)
    },
    service_provider: lookup((sid) =>
      db
        .selectFrom('service_providers')
        .select(({ lit }) => [lit(null).as('account_sid'), 'service_provider_sid as own_provider'])
        .where('service_provider_sid', '=', sid),
    ),
    alert_acknowledgment: lookup((sid) =>
      db
        .selectFrom('patchbay_alert_acknowledgments')
        .select(['account_sid', 'service_provider_sid as own_provider'])
        .where('alert_acknowledgment_sid', '=', sid),
    ),
    alert_destination: lookup((sid) =>
      ownedAlertDestinations(db).where('patchbay_alert_destinations.alert_destination_sid', '=', sid),
    ),
    phone_number: lookup((sid) => ownedNumbers(db).where('phone_numbers.phone_number_sid', '=', sid)),
    sip_gateway: lookup((sid) =>
      ownedCarriers(db)
        .innerJoin('sip_gateways', 'sip_gateways.voip_carrier_sid', 'voip_carriers.voip_carrier_sid')
        .where('sip_gateways.sip_gateway_sid', '=', sid),
    ),
    smpp_gateway: missingSchema.has('smpp_gateways')
      ? () => Promise.resolve(undefined)
      : lookup((sid) =>
          ownedCarriers(db)
            .innerJoin('smpp_gateways', 'smpp_gateways.voip_carrier_sid', 'voip_carriers.voip_carrier_sid')
            .where('smpp_gateways.smpp_gateway_sid', '=', sid),
        ),
    google_custom_voice: lookup((sid) =>
      ownedSpeechCredentials(db)
        .innerJoin(
          'google_custom_voices',
          'google_custom_voices.speech_credential_sid',
          'speech_credentials.speech_credential_sid',
        )
        .where('google_custom_voices.google_custom_voice_sid', '=', sid),
    ),
    lcr: lookup((sid) => lcrs().where('lcr.lcr_sid', '=', sid)),
    lcr_route: lookup((sid) => lcrRoutes().where('lcr_routes.lcr_route_sid', '=', sid)),
    lcr_carrier_set_entry: lookup((sid) =>
      lcrRoutes()
        .innerJoin('lcr_carrier_set_entry', 'lcr_carrier_set_entry.lcr_route_sid', 'lcr_routes.lcr_route_sid')
        .where('lcr_carrier_set_entry.lcr_carrier_set_entry_sid', '=', sid),
    ),
  }
  // All kinds that `special` leaves out are derived, which its type ensures.
  const derived = [...ownedKinds].filter((kind) => !(kind in special)) as DerivedKind[]
  const lookups = derived.map((kind) => [kind, lookup((sid) => selectOwner(db, kind, sid))])
  return { ...special, ...Object.fromEntries(lookups) }
}

import { isIpv4 } from '@patchbay/contract/shared/addresses'
import { calledNumber } from '@patchbay/rules/phone-number/patterns'
import { type Database, holdsNonDigit } from '../../database/engine.ts'
import { cidrContains } from './gateway-order.ts'
import type {
  AuthTrunk,
  InboundAccount,
  InboundCall,
  InboundFacts,
  InboundGateway,
  InboundNumber,
} from './inbound-model.ts'

/** Loads the rows that are relevant for an inbound call, of any tenant, like jambonz does. All queries use indexes. */

export interface NamedAccount extends InboundAccount {
  name: string
}

export interface NamedGateway extends InboundGateway {
  carrier: InboundGateway['carrier'] & { name: string; provider_of_account: string | null }
}

interface ProviderNumber extends InboundNumber {
  service_provider_sid: string | null
}

export interface Facts extends InboundFacts {
  gateways: readonly NamedGateway[]
  numbers: readonly ProviderNumber[]
  accounts: ReadonlyMap<string, NamedAccount>
}

/** Maximum number of patterns to evaluate. A carrier has a handful. */
const maxPatterns = 5000

/** Returns a LIKE pattern for the first `parts` parts of an address. */
const toPrefixPattern = (address: string, parts: number): string => `${address.split('.').slice(0, parts).join('.')}.%`

const readGateways = async ({ reader }: Database, source: string): Promise<NamedGateway[]> => {
  const rows = await reader
    .selectFrom('sip_gateways as gateway')
    .innerJoin('voip_carriers as carrier', 'carrier.voip_carrier_sid', 'gateway.voip_carrier_sid')
    .leftJoin('accounts', 'accounts.account_sid', 'carrier.account_sid')
    .select([
      'gateway.sip_gateway_sid',
      'gateway.voip_carrier_sid',
      'gateway.ipv4',
      'gateway.netmask',
      'gateway.inbound',
    ])
    .select([
      'carrier.name',
      'carrier.account_sid',
      'carrier.service_provider_sid',
      'carrier.application_sid',
      'carrier.is_active',
      'carrier.requires_register',
      'carrier.register_sip_realm',
      'carrier.register_username',
      'accounts.service_provider_sid as provider_of_account',
    ])
    // A carrier that registers is recognized by any of its gateways.
    .where((where) => where.or([where('gateway.inbound', '=', 1), where('carrier.requires_register', '=', 1)]))
    // An address and its network have the same leading parts, up to the last complete part of the netmask.
    .where((where) =>
      where.or([
        where.and([where('gateway.netmask', '=', 32), where('gateway.ipv4', '=', source)]),
        ...[3, 2, 1].map((parts) =>
          where.and([
            where(
              'gateway.netmask',
              'in',
              Array.from({ length: 8 }, (_, at) => parts * 8 + at),
            ),
            where('gateway.ipv4', 'like', toPrefixPattern(source, parts)),
          ]),
        ),
        where('gateway.netmask', '<', 8),
      ]),
    )
    .orderBy('gateway.sip_gateway_sid')
    .execute()
  return rows
    .filter((row) => cidrContains(row, source))
    .map(({ sip_gateway_sid, voip_carrier_sid, ipv4, netmask, inbound, is_active, requires_register, ...carrier }) => ({
      sip_gateway_sid,
      voip_carrier_sid,
      ipv4,
      netmask,
      is_inbound: inbound === 1,
      carrier: { ...carrier, is_active: is_active === 1, requires_register: requires_register === 1 },
    }))
}

const selectAccounts = ({ reader }: Database) =>
  reader
    .selectFrom('accounts')
    .select(['account_sid', 'name', 'service_provider_sid', 'is_active', 'device_calling_application_sid'])

type AccountRow = Awaited<ReturnType<ReturnType<typeof selectAccounts>['executeTakeFirstOrThrow']>>

const toNamedAccount = (row: AccountRow): NamedAccount => ({ ...row, is_active: row.is_active === 1 })

const findAccountByRealm = async (database: Database, realm: string): Promise<NamedAccount | undefined> => {
  const row = await selectAccounts(database).where('sip_realm', '=', realm).executeTakeFirst()
  return row && toNamedAccount(row)
}

const readAccounts = async (
  database: Database,
  sids: readonly (string | null)[],
): Promise<Map<string, NamedAccount>> => {
  const uniqueSids = [...new Set(sids.filter((sid) => sid !== null))]
  if (uniqueSids.length === 0) return new Map()
  const rows = await selectAccounts(database).where('account_sid', 'in', uniqueSids).execute()
  return new Map(rows.map((row) => [row.account_sid, toNamedAccount(row)]))
}

/** Returns the account of each provider that has exactly one. */
const readOnlyAccounts = async (
  database: Database,
  gateways: readonly NamedGateway[],
): Promise<Map<string, NamedAccount>> => {
  const providers = new Set(gateways.map(({ carrier }) => carrier.service_provider_sid).filter((sid) => sid !== null))
  const entries = await Promise.all(
    [...providers].map(async (sid) => {
      const rows = await selectAccounts(database).where('service_provider_sid', '=', sid).limit(2).execute()
      const [only, another] = rows
      return only && !another ? [[sid, toNamedAccount(only)] as const] : []
    }),
  )
  return new Map(entries.flat())
}

/** Returns the carriers of an account, and of its provider for all accounts, whose calls have credentials. */
const readAuthTrunks = async (
  { reader }: Database,
  account: InboundAccount | undefined,
): Promise<readonly AuthTrunk[]> => {
  if (account === undefined) return []
  const { account_sid, service_provider_sid } = account
  return reader
    .selectFrom('voip_carriers')
    .select(['voip_carrier_sid', 'name', 'application_sid'])
    .where('trunk_type', '=', 'auth')
    .where('is_active', '=', 1)
    .where((where) =>
      where.or([
        where('account_sid', '=', account_sid),
        where.and([where('service_provider_sid', '=', service_provider_sid), where('account_sid', 'is', null)]),
      ]),
    )
    .orderBy('name')
    .orderBy('voip_carrier_sid')
    .execute()
}

const readNumbers = async (
  { reader, engine }: Database,
  users: readonly Pick<AuthTrunk, 'voip_carrier_sid'>[],
  number: string,
): Promise<ProviderNumber[]> => {
  const carriers = [...new Set(users.map(({ voip_carrier_sid }) => voip_carrier_sid))]
  if (carriers.length === 0) return []
  const selectNumbers = () =>
    reader
      .selectFrom('phone_numbers')
      .select(['phone_number_sid', 'number', 'account_sid', 'application_sid', 'service_provider_sid'])
      .select(({ ref }) => ref('voip_carrier_sid').$notNull().as('voip_carrier_sid'))
      .where('voip_carrier_sid', 'in', carriers)
      .orderBy('phone_number_sid')
  const [exact, patterns] = await Promise.all([
    selectNumbers().where('number', '=', number).execute(),
    selectNumbers().where(holdsNonDigit(engine, 'number')).limit(maxPatterns).execute(),
  ])
  return [...exact, ...patterns.filter((row) => row.number !== number)]
}

const readTeamsTenant = ({ reader }: Database, fqdn: string) =>
  reader
    .selectFrom('ms_teams_tenants')
    .select(['account_sid', 'application_sid'])
    .where('tenant_fqdn', '=', fqdn)
    .executeTakeFirst()

/** Returns the parent domain if it is not a top-level domain. */
const getParentDomain = (realm: string): string | undefined => {
  const [, ...parentLabels] = realm.split('.')
  return parentLabels.length > 1 ? parentLabels.join('.') : undefined
}

export const readFacts = async (database: Database, call: InboundCall): Promise<Facts> => {
  const isName = !isIpv4(call.realm)
  const gateways = await readGateways(database, call.source)
  const [realmAccount, teamsTenant, onlyAccounts] = await Promise.all([
    isName ? findAccountByRealm(database, call.realm) : undefined,
    isName ? readTeamsTenant(database, call.realm) : undefined,
    readOnlyAccounts(database, gateways),
  ])
  const parent = isName && !realmAccount ? getParentDomain(call.realm) : undefined
  const deviceAccount = realmAccount ?? (parent === undefined ? undefined : await findAccountByRealm(database, parent))
  const authTrunks = await readAuthTrunks(database, deviceAccount)
  const numbers = await readNumbers(database, [...gateways, ...authTrunks], calledNumber(call.number))
  const accountsBySid = await readAccounts(database, [
    ...gateways.map(({ carrier }) => carrier.account_sid),
    ...numbers.map(({ account_sid }) => account_sid),
    teamsTenant?.account_sid ?? null,
  ])
  const otherAccounts = [realmAccount, deviceAccount, ...onlyAccounts.values()].filter(
    (account) => account !== undefined,
  )
  const accounts = new Map([
    ...accountsBySid,
    ...otherAccounts.map((account) => [account.account_sid, account] as const),
  ])
  return { realmAccount, deviceAccount, authTrunks, gateways, numbers, accounts, onlyAccounts, teamsTenant }
}

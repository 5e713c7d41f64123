import { isIpv4 } from '@patchbay/contract/shared/addresses'
import {
  calledNumber,
  cidrContains,
  type InboundAccount,
  type InboundCall,
  type InboundFacts,
  type InboundGateway,
  type InboundNumber,
} from '@patchbay/contract/routing/inbound'
import { type Database, holdsNonDigit } from '../../database/engine.ts'

/** The rows that have to do with a call that comes in, found by indexes; of any tenant, as the platform finds them. */

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

/** More patterns are not looked at; a carrier has a handful. */
const maxPatterns = 5000

/** How an address begins, up to so many of its parts. */
const begins = (address: string, parts: number): string => `${address.split('.').slice(0, parts).join('.')}.%`

const readGateways = async ({ reader }: Database, source: string): Promise<NamedGateway[]> => {
  const rows = await reader
    .selectFrom('sip_gateways as gateway')
    .innerJoin('voip_carriers as carrier', 'carrier.voip_carrier_sid', 'gateway.voip_carrier_sid')
    .leftJoin('accounts', 'accounts.account_sid', 'carrier.account_sid')
    .select(['gateway.sip_gateway_sid', 'gateway.voip_carrier_sid', 'gateway.ipv4', 'gateway.netmask'])
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
    .where('gateway.inbound', '=', 1)
    // A network begins as its addresses do, up to the last whole part of its mask.
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
            where('gateway.ipv4', 'like', begins(source, parts)),
          ]),
        ),
        where('gateway.netmask', '<', 8),
      ]),
    )
    .orderBy('gateway.sip_gateway_sid')
    .execute()
  return rows
    .filter((row) => cidrContains(row, source))
    .map(({ sip_gateway_sid, voip_carrier_sid, ipv4, netmask, is_active, requires_register, ...carrier }) => ({
      sip_gateway_sid,
      voip_carrier_sid,
      ipv4,
      netmask,
      carrier: { ...carrier, is_active: is_active === 1, requires_register: requires_register === 1 },
    }))
}

const accountRows = ({ reader }: Database) =>
  reader
    .selectFrom('accounts')
    .select(['account_sid', 'name', 'service_provider_sid', 'is_active', 'device_calling_application_sid'])

type AccountRow = Awaited<ReturnType<ReturnType<typeof accountRows>['executeTakeFirstOrThrow']>>

const asAccount = (row: AccountRow): NamedAccount => ({ ...row, is_active: row.is_active === 1 })

const accountOfRealm = async (database: Database, realm: string): Promise<NamedAccount | undefined> => {
  const row = await accountRows(database).where('sip_realm', '=', realm).executeTakeFirst()
  return row && asAccount(row)
}

const readAccounts = async (
  database: Database,
  sids: readonly (string | null)[],
): Promise<Map<string, NamedAccount>> => {
  const wanted = [...new Set(sids.filter((sid) => sid !== null))]
  if (wanted.length === 0) return new Map()
  const rows = await accountRows(database).where('account_sid', 'in', wanted).execute()
  return new Map(rows.map((row) => [row.account_sid, asAccount(row)]))
}

/** Of a provider that has one account that one. */
const readOnlyAccounts = async (
  database: Database,
  gateways: readonly NamedGateway[],
): Promise<Map<string, NamedAccount>> => {
  const providers = new Set(gateways.map(({ carrier }) => carrier.service_provider_sid).filter((sid) => sid !== null))
  const found = await Promise.all(
    [...providers].map(async (sid) => {
      const rows = await accountRows(database).where('service_provider_sid', '=', sid).limit(2).execute()
      const [only, another] = rows
      return only && !another ? [[sid, asAccount(only)] as const] : []
    }),
  )
  return new Map(found.flat())
}

const readNumbers = async (
  { reader, engine }: Database,
  gateways: readonly NamedGateway[],
  number: string,
): Promise<ProviderNumber[]> => {
  const carriers = [...new Set(gateways.map(({ voip_carrier_sid }) => voip_carrier_sid))]
  if (carriers.length === 0) return []
  const ofCarriers = () =>
    reader
      .selectFrom('phone_numbers')
      .select(['phone_number_sid', 'number', 'account_sid', 'application_sid', 'service_provider_sid'])
      .select(({ ref }) => ref('voip_carrier_sid').$notNull().as('voip_carrier_sid'))
      .where('voip_carrier_sid', 'in', carriers)
      .orderBy('phone_number_sid')
  const [exact, patterns] = await Promise.all([
    ofCarriers().where('number', '=', number).execute(),
    ofCarriers().where(holdsNonDigit(engine, 'number')).limit(maxPatterns).execute(),
  ])
  return [...exact, ...patterns.filter((row) => row.number !== number)]
}

const readTeamsTenant = ({ reader }: Database, fqdn: string) =>
  reader
    .selectFrom('ms_teams_tenants')
    .select(['account_sid', 'application_sid'])
    .where('tenant_fqdn', '=', fqdn)
    .executeTakeFirst()

/** The domain above one that is below another. */
const parentOf = (realm: string): string | undefined => {
  const [, ...above] = realm.split('.')
  return above.length > 1 ? above.join('.') : undefined
}

export const readFacts = async (database: Database, call: InboundCall): Promise<Facts> => {
  const isName = !isIpv4(call.realm)
  const gateways = await readGateways(database, call.source)
  const [realmAccount, teamsTenant, numbers, onlyAccounts] = await Promise.all([
    isName ? accountOfRealm(database, call.realm) : undefined,
    isName ? readTeamsTenant(database, call.realm) : undefined,
    readNumbers(database, gateways, calledNumber(call.number)),
    readOnlyAccounts(database, gateways),
  ])
  const parent = isName && !realmAccount ? parentOf(call.realm) : undefined
  const deviceAccount = realmAccount ?? (parent === undefined ? undefined : await accountOfRealm(database, parent))
  const named = await readAccounts(database, [
    ...gateways.map(({ carrier }) => carrier.account_sid),
    ...numbers.map(({ account_sid }) => account_sid),
    teamsTenant?.account_sid ?? null,
  ])
  const others = [realmAccount, deviceAccount, ...onlyAccounts.values()].filter((account) => account !== undefined)
  const accounts = new Map([...named, ...others.map((account) => [account.account_sid, account] as const)])
  return { realmAccount, deviceAccount, gateways, numbers, accounts, onlyAccounts, teamsTenant }
}

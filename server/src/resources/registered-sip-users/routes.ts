import { throwInvalid } from '@patchbay/contract/errors'
import type {
  RegisteredClient,
  RegisteredUser,
  registeredSipUserEndpoints,
} from '@patchbay/contract/registered-sip-users'
import { ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import type { Registration } from '../../adapters/registrations/registrations.ts'
import type { Services } from '../services.ts'
import { clientFlags, findRealm, registeredClients } from './store.ts'

const statusOf = ({ expiryTime }: Registration): 'active' | 'inactive' => (expiryTime > 0 ? 'active' : 'inactive')

const unregistered: Registration = { contact: null, expiryTime: 0, protocol: null }

const askedFor = (name: string, registration: Registration = unregistered): RegisteredUser => ({
  ...registration,
  name,
  registered_status: statusOf(registration),
})

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const noFlags = { allow_direct_app_calling: 0, allow_direct_queue_calling: 0, allow_direct_user_calling: 0 } as const

export const registeredSipUserRoutes = ({
  database,
  registrations,
}: Services): Handlers<keyof typeof registeredSipUserEndpoints> => {
  /** The account may be deleted between the check of its owner and here. */
  const knownRealm = async (account_sid: string): Promise<string | null> => {
    const realm = await findRealm(database, account_sid)
    return realm === undefined ? throwInvalid(`account not found for sid ${account_sid}`) : realm
  }

  const requiredRealm = async (account_sid: string): Promise<string> =>
    (await knownRealm(account_sid)) || throwInvalid('account does not have sip_realm configuration')

  const all = async (realm: string): Promise<RegisteredUser[]> => {
    const names = await registrations.listNames(realm)
    const found = await registrations.find(realm, names)
    // Who went between the two steps is left out.
    return found.flatMap((registration, index) => {
      if (registration === undefined) return []
      const { sbcAddress: _sbcAddress, ...shown } = registration
      return [{ ...shown, name: names[index] ?? '' }]
    })
  }

  return {
    'GET /patchbay/registered-clients': async ({ actor }) =>
      ok(await registeredClients(database, registrations, actor)),

    'GET /Accounts/:account_sid/RegisteredSipUsers': async ({ params: { account_sid } }) => {
      const realm = await requiredRealm(account_sid)
      const names = await registrations.listNames(realm)
      return ok(names.map((name) => `${name}@${realm}`))
    },

    'POST /Accounts/:account_sid/RegisteredSipUsers': async ({ params: { account_sid }, body: names }) => {
      const realm = await requiredRealm(account_sid)
      if (names.length === 0) return ok(await all(realm))
      const found = await registrations.find(realm, names)
      return ok(names.map((name, index) => askedFor(name, found[index])))
    },

    'GET /Accounts/:account_sid/RegisteredSipUsers/:client': async ({ params: { account_sid, client } }) => {
      const realm = await knownRealm(account_sid)
      const [found] = realm ? await registrations.find(realm, [client]) : []
      const registration = found ?? unregistered
      const shown: RegisteredClient = {
        name: client,
        contact: registration.contact,
        expiryTime: registration.expiryTime,
        protocol: registration.protocol,
        ...noFlags,
        ...(await clientFlags(database, account_sid, client)),
        registered_status: statusOf(registration),
        proxy: textOrNull(registration.proxy),
      }
      return ok(shown)
    },
  }
}

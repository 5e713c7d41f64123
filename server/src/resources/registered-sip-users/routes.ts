import { throwInvalid } from '@patchbay/contract/api/errors'
import type {
  RegisteredClient,
  RegisteredUser,
  registeredSipUserEndpoints,
} from '@patchbay/contract/registered-sip-users'
import type { Registration } from '../../adapters/registrations/registrations.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { findRealm, findRegisteredClients, readClientFlags } from './store.ts'

const toStatus = ({ expiryTime }: Registration): 'active' | 'inactive' => (expiryTime > 0 ? 'active' : 'inactive')

const unregistered: Registration = { contact: null, expiryTime: 0, protocol: null }

const toRegisteredUser = (name: string, registration: Registration = unregistered): RegisteredUser => ({
  ...registration,
  name,
  registered_status: toStatus(registration),
})

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const noFlags = { allow_direct_app_calling: 0, allow_direct_queue_calling: 0, allow_direct_user_calling: 0 } as const

export const registeredSipUserRoutes = ({
  database,
  registrations,
}: Services): Handlers<keyof typeof registeredSipUserEndpoints> => {
  /** Returns the realm of an account. The account may have been deleted since its owner was checked. */
  const readRealm = async (account_sid: string): Promise<string | null> => {
    const realm = await findRealm(database, account_sid)
    return realm === undefined ? throwInvalid(`account not found for sid ${account_sid}`) : realm
  }

  const requireRealm = async (account_sid: string): Promise<string> =>
    (await readRealm(account_sid)) || throwInvalid('account does not have sip_realm configuration')

  const listAll = async (realm: string): Promise<RegisteredUser[]> => {
    const names = await registrations.listNames(realm)
    const registrationsByIndex = await registrations.find(realm, names)
    // Registrations that expired between the two steps are omitted.
    return registrationsByIndex.flatMap((registration, index) => {
      if (registration === undefined) return []
      const { sbcAddress: _sbcAddress, ...user } = registration
      return [{ ...user, name: names[index] ?? '' }]
    })
  }

  return {
    'GET /patchbay/registered-clients': async ({ actor }) =>
      ok(await findRegisteredClients(database, registrations, actor)),

    'GET /Accounts/:account_sid/RegisteredSipUsers': async ({ params: { account_sid } }) => {
      const realm = await requireRealm(account_sid)
      const names = await registrations.listNames(realm)
      return ok(names.map((name) => `${name}@${realm}`))
    },

    'POST /Accounts/:account_sid/RegisteredSipUsers': async ({ params: { account_sid }, body: names }) => {
      const realm = await requireRealm(account_sid)
      if (names.length === 0) return ok(await listAll(realm))
      const foundRegistrations = await registrations.find(realm, names)
      return ok(names.map((name, index) => toRegisteredUser(name, foundRegistrations[index])))
    },

    'GET /Accounts/:account_sid/RegisteredSipUsers/:client': async ({ params: { account_sid, client } }) => {
      const realm = await readRealm(account_sid)
      const [current] = realm ? await registrations.find(realm, [client]) : []
      const registration = current ?? unregistered
      const registeredClient: RegisteredClient = {
        name: client,
        contact: registration.contact,
        expiryTime: registration.expiryTime,
        protocol: registration.protocol,
        ...noFlags,
        ...(await readClientFlags(database, account_sid, client)),
        registered_status: toStatus(registration),
        proxy: textOrNull(registration.proxy),
      }
      return ok(registeredClient)
    },
  }
}

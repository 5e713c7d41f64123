import { throwInvalid } from '@patchbay/contract/api/errors'
import type { SystemInformationChange, systemInformationEndpoints } from '@patchbay/contract/system-information'
import {
  findInvalidPrivateNetwork,
  privateNetworkError,
  trimPrivateNetworks,
} from '@patchbay/rules/networks/private-networks'
import type { Handlers } from '../../http/contract-router.ts'
import { created, ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { readSystemInformation, saveSystemInformation } from './store.ts'

export const systemInformationRoutes = ({
  database,
  write,
}: Services): Handlers<keyof typeof systemInformationEndpoints> => ({
  'GET /SystemInformation': async () => ok((await readSystemInformation(database.db)) ?? {}),

  'POST /SystemInformation': async ({ actor, body }) => {
    check(body)
    const { private_network_cidr: networks } = body
    const change = networks ? { ...body, private_network_cidr: trimPrivateNetworks(networks) } : body
    return created(await write(actor, (tx) => saveSystemInformation(tx, change)))
  },
})

const check = (change: SystemInformationChange): void => {
  if (Object.values(change).every((value) => value === undefined)) throwInvalid('the request changes nothing')
  const bad = findInvalidPrivateNetwork(change.private_network_cidr ?? '')
  if (bad !== undefined) throwInvalid(privateNetworkError(bad), 'private_network_cidr')
}

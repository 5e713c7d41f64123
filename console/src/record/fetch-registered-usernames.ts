import { api, type CallOptions } from '../api/client.ts'

/** Returns the user names that are registered with the realm of an account. */
export const registeredNames = async (account_sid: string, options: CallOptions): Promise<string[]> => {
  const addresses = await api('GET /Accounts/:account_sid/RegisteredSipUsers', { params: { account_sid } }, options)
  return addresses.map((address) => address.slice(0, address.lastIndexOf('@')))
}

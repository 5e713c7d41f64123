import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../api/client.ts'
import { Failure } from '../../../api/failure.ts'
import { reading } from '../../../api/queries.ts'

/** What the account's screen reads in a hosted installation. */

/** The next invoice; null where none will come. */
export const invoiceQuery = queryOptions({
  queryKey: ['invoice'],
  queryFn: async (context) => {
    try {
      return await call('GET /Invoices', {}, reading(context))
    } catch (error) {
      if (error instanceof Failure && error.status === 404) return null
      throw error
    }
  },
})

/** Those that an account may use. */
export const speechServicesQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['speech', 'of-account', account_sid],
    queryFn: (context) =>
      call('GET /Accounts/:account_sid/SpeechCredentials', { params: { account_sid } }, reading(context)),
  })

import { queryOptions } from '@tanstack/react-query'
import { isNotFound } from '../../../api/api-error.ts'
import { api } from '../../../api/client.ts'
import { queryCallOptions } from '../../../api/shared-queries.ts'

/** The next invoice, or null if none is due. */
export const invoiceQuery = queryOptions({
  queryKey: ['invoice'],
  queryFn: async (context) => {
    try {
      return await api('GET /Invoices', {}, queryCallOptions(context))
    } catch (error) {
      if (isNotFound(error)) return null
      throw error
    }
  },
})

/** Speech services that the account can use, including those of its service provider. */
export const speechServicesQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['speech', 'of-account', account_sid],
    queryFn: (context) =>
      api('GET /Accounts/:account_sid/SpeechCredentials', { params: { account_sid } }, queryCallOptions(context)),
  })

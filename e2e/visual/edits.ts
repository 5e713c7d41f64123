import type { ApiClient, DemoRecords } from './records.ts'

/** Changes of demo records, so that the audit trail has entries. */

interface Edit {
  /** A user of the demo data. */
  user: string
  /** Times of day in UTC. */
  signInTime: string
  time: string
  edit: (api: ApiClient, records: DemoRecords) => Promise<unknown>
}

export const edits: readonly Edit[] = [
  {
    user: 'provider-user',
    signInTime: '08:09:12',
    time: '08:12:40',
    edit: async ({ send }, { carrier, account_sid }) => {
      await send('PUT', `/VoipCarriers/${carrier}`, { description: 'Main trunk, contract until 2028' })
      await send('PUT', `/Accounts/${account_sid}`, { record_all_calls: true })
    },
  },
  {
    user: 'account-user',
    signInTime: '09:41:33',
    time: '09:47:05',
    edit: async ({ send }, { application }) => {
      const call_hook = { url: 'https://hooks.example.com/reception/v2', method: 'POST' }
      await send('PUT', `/Applications/${application}`, { call_hook })
    },
  },
  {
    user: 'view-only-user',
    signInTime: '11:01:50',
    time: '11:02:16',
    // The response is 403.
    edit: ({ send }, { application }) => send('PUT', `/Applications/${application}`, { name: 'Front desk' }),
  },
  {
    user: 'provider-user',
    signInTime: '13:15:27',
    time: '13:20:31',
    edit: async ({ send }, { application, carrier }) => {
      const call_hook = { url: 'https://hooks.example.com/reception', method: 'POST' }
      await send('PUT', `/Applications/${application}`, { call_hook })
      await send('PUT', `/VoipCarriers/${carrier}`, { description: 'Main trunk, contract until 2029' })
    },
  },
]

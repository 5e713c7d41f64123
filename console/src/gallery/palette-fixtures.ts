import type { ReactNode } from 'react'
import { createElement } from 'react'
import { queryClient } from '../api/query-client.ts'
import { accountsQuery, providersQuery } from '../api/shared-queries.ts'
import { startTypedAhead, typedAhead } from '../app/keystroke-buffer.ts'
import { pages } from '../app/pages.ts'
import { Palette } from '../app/palette.tsx'
import { accountList } from '../routes/accounts.ts'

const service_provider_sid = '2708b1b3-2736-40ea-b502-c53d8396247f'
const accountsKey = accountsQuery(service_provider_sid).queryKey
const accounts = Array.from({ length: 12 }, (_, index) => ({
  account_sid: `${String(index).padStart(8, '0')}-11f2-4d19-9f3e-3cf1c1a0b7aa`,
  name: `Nordlicht ${index + 1}`,
}))

const fill = (isRead: boolean) => {
  queryClient.setQueryData(providersQuery.queryKey, [{ service_provider_sid, name: 'Nordlicht' }] as never)
  for (const { screen, records } of pages)
    if (records && screen.path !== accountList.path)
      queryClient.setQueryData(['palette', screen.path, service_provider_sid], { offers: [] })
  if (isRead) return queryClient.setQueryData(accountsKey, accounts as never)
  queryClient.removeQueries({ queryKey: accountsKey })
  return void queryClient.fetchQuery({ queryKey: accountsKey, queryFn: () => new Promise<never>(() => {}) })
}

/** The palette after the user has typed `text` while it was loading. */
const palette = (text: string, isRead: boolean) => ({
  before: () => {
    fill(isRead)
    startTypedAhead()
    const ahead = typedAhead()
    if (ahead) ahead.text = text
  },
  render: (close: () => void): ReactNode => createElement(Palette, { onClose: close, onKeys: close }),
})

export const palettes = {
  palette: palette('', true),
  'palette with results': palette('nord', true),
  'palette without results': palette('no such thing', true),
  'palette while it reads': palette('nord', false),
}

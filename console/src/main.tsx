import '@fontsource-variable/inter/wght.css'
import './styles/tokens.css'
import './styles/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { loadConfiguration } from './api/configuration.ts'
import { queryClient } from './app/query-client.ts'
import { router } from './app/router.tsx'
import { applyTheme, readTheme } from './app/theme.ts'
import { keepSessionAlive } from './session/renewal.ts'
import { onSessionEnd } from './session/session.ts'

applyTheme(readTheme())

const start = async (): Promise<void> => {
  await loadConfiguration()
  onSessionEnd(() => {
    queryClient.clear()
    void router.invalidate().then(() => router.navigate({ to: '/', replace: true }))
  })
  keepSessionAlive()
  const place = document.getElementById('root')
  if (place === null) throw new Error('the page lacks #root')
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
}

void start()

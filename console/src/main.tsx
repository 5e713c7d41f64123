import '@fontsource-variable/inter/wght.css'
import './styles/tokens.css'
import './styles/base.css'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { loadConfiguration } from './api/configuration.ts'
import { fetchAhead } from './app/ahead.ts'
import { atMost } from './app/at-most.ts'
import { nextScreens, router } from './app/router.tsx'
import { applyTheme, readTheme } from './app/theme.ts'
import { keepSessionAlive } from './session/renewal.ts'
import { onSessionEnd } from './session/session.ts'

applyTheme(readTheme())

/** The font comes beside this script; text that is drawn without it would be drawn, and moved, once more. */
const fontWaitMs = 500
const fontIsThere = atMost(fontWaitMs, document.fonts.load('1em "Inter Variable"'))

const start = async (): Promise<void> => {
  await Promise.all([loadConfiguration(), fontIsThere])
  onSessionEnd((ending) => {
    void import('./app/internal.ts').then(({ forgetData }) => forgetData())
    const next = ending === 'unwanted' ? { next: router.state.location.href } : {}
    void router.navigate({ to: '/', search: next, replace: true })
  })
  // Who comes from another page hears its title first.
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    if (fromLocation !== undefined && pathChanged) document.getElementById('page-title')?.focus({ preventScroll: true })
  })
  router.subscribe('onRendered', () => void fetchAhead(nextScreens()))
  keepSessionAlive()
  const place = document.getElementById('root')
  if (place === null) throw new Error('the page lacks #root')
  createRoot(place).render(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  )
}

void start()

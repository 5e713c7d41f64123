import '@fontsource-variable/inter/wght.css'
import './styles/tokens.css'
import './styles/base.css'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { transport } from './api/client.ts'
import { config, loadConfiguration } from './api/configuration.ts'
import { createConsoleRouter, nextScreens } from './app/router.tsx'
import { applyTheme, readTheme } from './app/theme.ts'
import { prefetchWhenIdle } from './lazy/prefetch-when-idle.ts'
import { waitWithLimit } from './lazy/wait-with-limit.ts'
import { createPassword } from './routes/create-password.ts'
import { keepSessionAlive } from './session/keep-alive.ts'
import { onSessionEnd } from './session/session.ts'
import { stored } from './session/storage.ts'
import { startPreferences } from './ui/preferences.ts'

applyTheme(readTheme())
startPreferences(document.documentElement, stored.preferences.read(), stored.preferences.write)

/**
 * The time limit for loading the font, which is fetched together with this script. Rendering earlier would move the
 * text when the font arrives.
 */
const fontWaitMs = 500
const fontLoaded = waitWithLimit(fontWaitMs, document.fonts.load('1em "Inter Variable"'))

/** Most visitors need neither the pages of hosted installations nor those whose URL has a secret fragment. */
const extra = async () => (config().hosting || location.hash ? import('./app/extra-pages.ts') : undefined)

const start = async (): Promise<void> => {
  await Promise.all([loadConfiguration(), fontLoaded])
  // The API server of jambonz does not have Patchbay's endpoints. Its own endpoints then answer the calls of the screens.
  if (config().extensions.size === 0) transport.loadAnswers = () => import('./jambonz/answers.ts')
  const more = await extra()
  const router = createConsoleRouter(more?.pages ?? [])
  more?.keepDocumentsApart(router)
  onSessionEnd((ending) => {
    const { location } = router.state
    if (more?.isLinkPage(location)) return
    if (ending === 'password-change') return void router.navigate({ to: createPassword.path, replace: true })
    // The session can also end on the sign-in page, which keeps its target then.
    const isSigningIn = location.pathname === '/'
    const next = isSigningIn ? location.search : ending === 'unwanted' ? { next: location.href } : {}
    // The data is cleared after the navigation, because the previous screen still displays it until then.
    void router
      .navigate({ to: '/', search: next, replace: true })
      .then(async () => (await import('./app/authenticated-chunk.ts')).forgetData())
  })
  // After a navigation, the focus moves to the title, so that screen readers announce it, unless the page has moved the
  // focus itself.
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    const isLed = document.activeElement?.closest('#main') ?? false
    if (fromLocation !== undefined && pathChanged && !isLed)
      document.getElementById('page-title')?.focus({ preventScroll: true })
  })
  router.subscribe('onRendered', () => void prefetchWhenIdle(nextScreens()))
  keepSessionAlive()
  // The cast is safe: index.html contains the element.
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  )
}

void start()

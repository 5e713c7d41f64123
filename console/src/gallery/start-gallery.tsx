import '@fontsource-variable/inter/wght.css'
import '../styles/tokens.css'
import '../styles/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { queryClient } from '../api/query-client.ts'
import { listSearch } from '../routes/list-search-params.ts'
import { startSession } from '../session/session.ts'
import { startPreferences } from '../ui/preferences.ts'
import { Gallery } from './gallery.tsx'

/** Shows all components on one page, at /gallery.html of the development server. Builds do not contain it. */

/** Uses separate storage, so that the session of the console in the same browser is not affected. */
const storedValues = new Map<string, string>()
Object.defineProperty(window, 'localStorage', {
  value: {
    getItem: (key: string) => storedValues.get(key) ?? null,
    setItem: (key: string, value: string) => void storedValues.set(key, value),
    removeItem: (key: string) => void storedValues.delete(key),
  },
})
startSession(`.${btoa(JSON.stringify({ user_sid: 'nobody', scope: 'admin', permissions: [], iat: 0, exp: 0 }))}.`)

/** Every URL shows the gallery, because lists store their filters in the URL. */
const root = createRootRoute({ component: Gallery })
const anywhere = createRoute({ getParentRoute: () => root, path: '$', validateSearch: listSearch })
const router = createRouter({
  routeTree: root.addChildren([anywhere]),
  history: createMemoryHistory({ initialEntries: ['/carriers'] }),
})

startPreferences(document.documentElement, null, () => {})
const rootElement = document.getElementById('root')
if (rootElement)
  createRoot(rootElement).render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )

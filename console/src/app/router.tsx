import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { formatQuery, waitForServer } from '../api/client.ts'
import { toaster } from '../feedback/toaster.ts'
import type { Load } from '../lazy/prefetch-when-idle.ts'
import { canOpen, parseScreenSearch, type Screen } from '../routes/define-screen.ts'
import { signIn } from '../routes/sign-in.ts'
import { startPath } from '../screen/links.tsx'
import { SignInPage } from '../screens/sign-in/screen.tsx'
import { currentSession, forgetForcedChange, requiredSession } from '../session/session.ts'
import { ToastRegion } from '../ui/overlay/toast.tsx'
import { preferences } from '../ui/preferences.ts'
import { NotFound, NotFoundInside, UnexpectedError } from './error-pages.tsx'
import { requireAccess, requireFeature, requireForcedChange, requireSession, requireVisitor } from './guards.ts'
import { menuTarget } from './menu-targets.ts'
import { findPage, type Page, pages, screens } from './pages.ts'

const frame = () => import('./authenticated-chunk.ts')

/** Loads the code of a page. During an outage, waits for the server, so that the current page stays. */
const loadWithReconnect = async <Module,>(load: () => Promise<Module>): Promise<Module> => {
  try {
    return await load()
  } catch {
    await waitForServer()
    return load()
  }
}

/** The links to the sections of a form, which load after the form. */
const sectionIndex: Load = () => import('../form/section-index.tsx')

/** Returns the code to fetch while the browser is idle: the lists before sign-in, all screens of the user after it. */
export const nextScreens = (): readonly Load[] => {
  const session = currentSession()
  const inside = pages.filter(({ screen }) => screen.audience === undefined)
  const lists = inside.filter(({ screen: { menu, path } }) => menu && !path.includes('$'))
  if (session === undefined) return [frame, ...lists.map(({ load }) => load)]
  const open = inside.filter(({ screen }) => canOpen(screen, session.actor))
  const more = open.flatMap(({ preload = [] }) => preload)
  return [frame, ...[...lists, ...open].map(({ load }) => load), sectionIndex, ...more]
}

const root = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <ToastRegion toaster={toaster} />
    </>
  ),
  errorComponent: UnexpectedError,
  notFoundComponent: NotFound,
})

const internal = createRoute({
  getParentRoute: () => root,
  path: startPath,
  component: lazyRouteComponent(frame, 'Frame'),
  notFoundComponent: NotFoundInside,
  beforeLoad: ({ location }) => requireSession(location.href),
  loader: async () => (await frame()).loadInternal(),
  staleTime: Number.POSITIVE_INFINITY,
})

const internalStart = createRoute({
  getParentRoute: () => internal,
  path: '/',
  beforeLoad: () => {
    const { actor } = requiredSession()
    const chosen = `${startPath}/${preferences().startPage}`
    const [first] = screens
      .filter(({ isHome, path }) => isHome || path === chosen)
      .flatMap((screen) => menuTarget(screen, actor) ?? [])
    if (first) throw redirect({ ...first, replace: true })
  },
})

const lazyPage = ({ load }: Page) =>
  lazyRouteComponent(async () => ({ default: findPage(await loadWithReconnect(load)) }))

const publicRoute = (page: Page) => {
  const { screen } = page
  return createRoute({
    getParentRoute: () => root,
    path: screen.path,
    // The sign-in page is part of the first script.
    component: screen.path === signIn.path ? SignInPage : lazyPage(page),
    validateSearch: (params: Record<string, unknown>) => parseScreenSearch(screen, params),
    beforeLoad: ({ search }) => {
      requireFeature(screen)
      if (screen.audience === 'visitor') requireVisitor(search)
    },
  })
}

const forcedChangeRoute = (page: Page) =>
  createRoute({
    getParentRoute: () => root,
    path: page.screen.path,
    component: lazyPage(page),
    beforeLoad: ({ location }) => requireForcedChange(location.href),
    onLeave: forgetForcedChange,
  })

const isEmpty = (search: object): boolean => Object.values(search).every((value) => value === undefined)

const internalRoute = (page: Page) => {
  const { screen, load } = page
  const { path, defaultSearch } = screen
  // Pointing at a menu entry prefetches the data of its list. Pointing at one of many rows does not.
  const isRecord = path.includes('$')
  return createRoute({
    getParentRoute: () => internal,
    path: path.slice(startPath.length + 1),
    component: lazyPage(page),
    validateSearch: (params: Record<string, unknown>) => parseScreenSearch(screen, params),
    beforeLoad: ({ params, search }) => {
      requireAccess(screen, params)
      const before = defaultSearch?.() ?? {}
      if (isEmpty(search) && !isEmpty(before)) throw redirect({ to: path, search: before, replace: true })
    },
    loader: async ({ cause, params, location }) => {
      if (cause === 'stay' || (isRecord && cause !== 'enter')) return
      const search = parseScreenSearch(screen, location.search)
      const { loader } = await loadWithReconnect(load)
      await loader?.({ params, search: search as never })
    },
  })
}

const createRouteTree = (all: readonly Page[]) => {
  const createRoutes = (audience: Screen['audience'], create: (page: Page) => AnyRoute): AnyRoute[] =>
    all.filter(({ screen }) => screen.audience === audience).map(create)
  return root.addChildren([
    ...createRoutes('visitor', publicRoute),
    ...createRoutes('anyone', publicRoute),
    ...createRoutes('forced-change', forcedChangeRoute),
    internal.addChildren([internalStart, ...createRoutes(undefined, internalRoute)]),
  ])
}

/** Search parameters are plain names and values, so that people can read and write them. */
const parseSearch = (text: string): Record<string, unknown> => Object.fromEntries(new URLSearchParams(text))

/** Creates the router of the console. `more` are the pages that only some installations have. */
export const createConsoleRouter = (more: readonly Page[]) =>
  createRouter({
    routeTree: createRouteTree([...pages, ...more]),
    parseSearch,
    stringifySearch: formatQuery,
    // Pointing at a link fetches its code, and for lists their data, which only the query cache keeps.
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultGcTime: 0,
    defaultErrorComponent: UnexpectedError,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
    // A list keeps its scroll position however the user returns to it.
    getScrollRestorationKey: ({ href, pathname, state }) =>
      screens.some(({ path, search }) => path === pathname && search) ? href : (state.key ?? href),
  })

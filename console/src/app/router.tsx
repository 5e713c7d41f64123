import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { Load } from '../lazy/prefetch-when-idle.ts'
import { startPath } from '../screen/links.tsx'
import { canOpen, type Screen, parseScreenSearch } from '../routes/define-screen.ts'
import { toaster } from '../feedback/toaster.ts'
import { screens } from '../routes/screens.ts'
import { signIn } from '../routes/sign-in.ts'
import { Screen as SignIn } from '../screens/sign-in/sign-in.tsx'
import { currentSession, forgetForcedChange, requiredSession } from '../session/session.ts'
import { ToastRegion } from '../ui/toast.tsx'
import { NotFound, NotFoundInside, UnexpectedError } from './error-pages.tsx'
import { requireAccess, requireForcedChange, requireSession, requireSwitch, requireVisitor } from './guards.ts'
import { menuTarget } from './menu.ts'

/** The routes, made of what the screens say of themselves. */

const frame = () => import('./authenticated-chunk.ts')

/** What may be opened next: where work starts, and once signed in, everything. */
export const nextScreens = (): readonly Load[] => {
  const session = currentSession()
  const inside = screens.filter(({ stage }) => stage === undefined)
  const lists = inside.filter(({ menu, path }) => menu && !path.includes('$'))
  if (session === undefined) return [frame, ...lists.map(({ load }) => load)]
  const open = inside.filter((screen) => canOpen(screen, session.actor))
  return [frame, ...[...lists, ...open].map(({ load }) => load), ...open.flatMap(({ pieces = [] }) => pieces)]
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
    const [first] = screens.filter(({ start }) => start).flatMap((screen) => menuTarget(screen, actor) ?? [])
    if (first) throw redirect({ ...first, replace: true })
  },
})

const publicRoute = (screen: Screen) =>
  createRoute({
    getParentRoute: () => root,
    path: screen.path,
    // The first screen of all comes with the first script.
    component: screen.path === signIn.path ? SignIn : lazyRouteComponent(screen.load, 'Screen'),
    validateSearch: (given: Record<string, unknown>) => parseScreenSearch(screen, given),
    beforeLoad: ({ search }) => {
      requireSwitch(screen)
      if (screen.stage === 'visitor') requireVisitor(search)
    },
  })

const forcedChangeRoute = ({ path, load }: Screen) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(load, 'Screen'),
    beforeLoad: ({ location }) => requireForcedChange(location.href),
    onLeave: forgetForcedChange,
  })

const isEmpty = (search: object): boolean => Object.values(search).every((value) => value === undefined)

const internalRoute = (screen: Screen) => {
  const { path, load, remembered } = screen
  // What a list reads is worth reading when somebody points at its entry; what one of many rows leads to is not.
  const isRecord = path.includes('$')
  return createRoute({
    getParentRoute: () => internal,
    path: path.slice(startPath.length + 1),
    component: lazyRouteComponent(load, 'Screen'),
    validateSearch: (given: Record<string, unknown>) => parseScreenSearch(screen, given),
    beforeLoad: ({ params, search }) => {
      requireAccess(screen, params)
      const before = remembered?.() ?? {}
      if (isEmpty(search) && !isEmpty(before)) throw redirect({ to: path, search: before, replace: true })
    },
    loader: async ({ cause, params, location }) => {
      if (cause === 'stay' || (isRecord && cause !== 'enter')) return
      const search = parseScreenSearch(screen, location.search)
      await (await load()).read?.({ params, search })
    },
  })
}

const routeTreeOf = (all: readonly Screen[]) => {
  const routesOf = (stage: Screen['stage'], make: (screen: Screen) => AnyRoute): AnyRoute[] =>
    all.filter((screen) => screen.stage === stage).map(make)
  return root.addChildren([
    ...routesOf('visitor', publicRoute),
    ...routesOf('anyone', publicRoute),
    ...routesOf('forced-change', forcedChangeRoute),
    internal.addChildren([internalStart, ...routesOf(undefined, internalRoute)]),
  ])
}

/** Plain names and values, as people write and send them; each screen reads its own. */
const parseSearch = (text: string): Record<string, unknown> => Object.fromEntries(new URLSearchParams(text))
const stringifySearch = (search: Record<string, unknown>): string => {
  const said = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

/** `more`: screens that only some installations have. */
export const createConsoleRouter = (more: readonly Screen[]) =>
  createRouter({
    routeTree: routeTreeOf([...screens, ...more]),
    parseSearch,
    stringifySearch,
    // Pointing at a link fetches its code, and the data of the lists in the menu, which their own cache alone keeps.
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultGcTime: 0,
    defaultErrorComponent: UnexpectedError,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
    // A list that one comes back to, by whatever way, is where it was.
    getScrollRestorationKey: ({ href, pathname, state }) =>
      screens.some(({ path, search }) => path === pathname && search) ? href : (state.key ?? href),
  })

import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ComponentProps, useCallback } from 'react'
import type { Screen, ScreenParams } from '../routes/define-screen.ts'

/** Links to screens, and the parameters of their URLs, typed by the declarations of the screens. */

/** The path that redirects signed-in users to their start screen. */
export const startPath = '/internal'

type Params<Path extends string> = keyof ScreenParams<Path> extends never ? object : { params: ScreenParams<Path> }
export type Target<Path extends string, Search extends object> = Params<Path> & { search?: Search }

type LinkTarget<Path extends string, Search extends object> = { to: Screen<Path, Search> } & Target<Path, Search>

/** Prevents that a link to the parent of the current screen is marked as current. */
const exactly = { exact: true }

/** A link to a screen. */
export const ScreenLink = <Path extends string, Search extends object>({
  to,
  ...rest
}: LinkTarget<Path, Search> & { hash?: string | undefined } & Omit<ComponentProps<'a'>, 'href'>) => (
  <Link activeOptions={exactly} {...(rest as object)} to={to.path} />
)

interface How {
  /** Replaces the current entry of the browser history. */
  replace?: boolean
  /** False keeps the scroll position. */
  resetScroll?: boolean
  /** Leaves a form without a warning, because it has been saved. */
  ignoreBlocker?: boolean
}

/** Returns a function that navigates to a screen. */
export const useNavigateTo = () => {
  const navigate = useNavigate()
  return useCallback(
    <Path extends string, Search extends object>({ to, ...rest }: LinkTarget<Path, Search> & How) =>
      navigate({ ...(rest as How), to: to.path }),
    [navigate],
  )
}

/** Returns a function that changes the search parameters of the current screen. */
export const useSetSearch = <Search extends object>(_screen: Pick<Screen<string, Search>, 'search'>) => {
  const navigate = useNavigate()
  return useCallback((search: Search, how: How = {}) => navigate({ ...how, to: '.', search }), [navigate])
}

/** Returns the path parameters of the current screen. */
export const useScreenParams = <Path extends string>(_screen: Screen<Path>): ScreenParams<Path> =>
  // The cast is safe because the route is created from the screen's path.
  useParams({ strict: false }) as ScreenParams<Path>

/** Returns the search parameters of the current screen. */
export const useScreenSearch = <Search extends object>(_screen: Pick<Screen<string, Search>, 'search'>): Search =>
  // The cast is safe because the route parses them with the screen's function.
  useSearch({ strict: false }) as Search

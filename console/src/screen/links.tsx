import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ComponentProps, useCallback } from 'react'
import type { ScreenParams, Screen } from '../routes/define-screen.ts'

/** Ways to screens, and what the address says to one: typed by the screen's own declaration. */

/** Leads to where the work of the one who is signed in starts. */
export const startPath = '/internal'

type Params<Path extends string> = keyof ScreenParams<Path> extends never ? object : { params: ScreenParams<Path> }
export type Target<Path extends string, Search extends object> = Params<Path> & { search?: Search }

type LinkTarget<Path extends string, Search extends object> = { to: Screen<Path, Search> } & Target<Path, Search>

/** The screen above is not the current one. */
const exactly = { exact: true }

export const ScreenLink = <Path extends string, Search extends object>({
  to,
  ...rest
}: LinkTarget<Path, Search> & Omit<ComponentProps<'a'>, 'href'>) => (
  <Link activeOptions={exactly} {...(rest as object)} to={to.path} />
)

interface How {
  /** takes the place of the present address in the history */
  replace?: boolean
  /** false keeps the scroll where it is */
  resetScroll?: boolean
  /** leaves a form without asking, since it is saved */
  ignoreBlocker?: boolean
}

export const useNavigateTo = () => {
  const navigate = useNavigate()
  return useCallback(
    <Path extends string, Search extends object>({ to, ...rest }: LinkTarget<Path, Search> & How) =>
      navigate({ ...(rest as How), to: to.path }),
    [navigate],
  )
}

/** The screen that shows stays; its address says something else. */
export const useSetSearch = <Search extends object>(_screen: Pick<Screen<string, Search>, 'search'>) => {
  const navigate = useNavigate()
  return useCallback((search: Search, how: How = {}) => navigate({ ...how, to: '.', search }), [navigate])
}

export const useScreenParams = <Path extends string>(_screen: Screen<Path>): ScreenParams<Path> =>
  // The route was made of the screen's path.
  useParams({ strict: false }) as ScreenParams<Path>

export const useScreenSearch = <Search extends object>(_screen: Pick<Screen<string, Search>, 'search'>): Search =>
  // The route reads it with the screen's own function.
  useSearch({ strict: false }) as Search

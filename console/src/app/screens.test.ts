import type { Actor } from '@patchbay/contract/api/access'
import { expect, test, vi } from 'vitest'
import { hostedPages } from './hosted-pages.ts'
import { linkPages } from './link-pages.ts'
import { goTargets, menuTarget } from './menu-targets.ts'
import { pages, screens } from './pages.ts'
import { findPaletteIcon, iconOfOthers } from './palette-icon.ts'

// A server with all extensions.
vi.mock('../api/configuration.ts', () => ({
  config: () => ({ extensions: { has: () => true }, switches: { has: () => false } }),
}))

const actors: readonly Actor[] = [
  { scope: 'admin', account_sid: null, service_provider_sid: null },
  { scope: 'service_provider', account_sid: null, service_provider_sid: 'of-them' },
  { scope: 'account', account_sid: 'own', service_provider_sid: 'of-them' },
].map((actor) => ({
  ...actor,
  scope: actor.scope as Actor['scope'],
  token: 'user',
  user_sid: 'somebody',
  is_view_only: false,
  must_change_password: false,
}))

const provider = {
  service_provider_sid: 'of-them',
  name: 'Acme',
  description: null,
  root_domain: null,
  ms_teams_fqdn: 'teams.example.org',
  registration_hook: null,
}

test('no two pages have the same path', () => {
  const paths = [...pages, ...hostedPages, ...linkPages].map(({ screen }) => screen.path)
  expect(new Set(paths).size).toBe(paths.length)
})

test.each(actors)('every menu entry of scope $scope has a shortcut of its own', (actor) => {
  const inMenu = screens.filter((screen) => menuTarget(screen, actor, provider))
  const keys = goTargets(actor, provider).map(({ key }) => key)
  expect(keys).toHaveLength(inMenu.length)
  expect(new Set(keys).size).toBe(keys.length)
  // `g` starts a shortcut.
  for (const key of keys) expect(key).toMatch(/^[a-fh-z]$/)
})

test('every screen and every record in the command palette has the icon of an entry of the menu', () => {
  const offered = [
    ...screens.filter(({ inPalette, menu }) => inPalette || menu),
    ...pages.flatMap(({ screen, records }) => (records ? [screen] : [])),
  ]
  expect(offered.filter((screen) => findPaletteIcon(screen) === iconOfOthers)).toEqual([])
})

import { splitKey } from '@patchbay/contract/api/endpoint'
import { contract, resources } from '@patchbay/contract/contract'
import { openTestApi } from '@patchbay/testkit/test-world'
import { expect, test } from 'vitest'

const api = await openTestApi()
const page = (await api.app.inject({ url: '/api/docs' })).body

const plain = (html: string): string => html.replaceAll(/<[^>]*>/g, '').replaceAll('&#39;', "'")

test('every endpoint belongs to one resource and appears in its section of the page', () => {
  const keys = Object.values(resources).flatMap(({ endpoints }) => Object.keys(endpoints))
  expect(keys).toEqual(Object.keys(contract))
  const sections = page.split('<section').slice(1)
  expect(sections).toHaveLength(Object.keys(resources).length)
  for (const [index, [name, { endpoints }]] of Object.entries(resources).entries()) {
    const text = plain(sections[index] ?? '')
    expect(text).toContain(name)
    for (const [key, { summary }] of Object.entries(endpoints)) {
      const { method, path } = splitKey(key)
      expect(text).toContain(`${method}${path.replaceAll(/:(\w+)/g, '{$1}')}${summary}`)
    }
  }
})

test('the page shows who may call an endpoint, the request, and the response', () => {
  const part = (id: string) => plain(page.slice(page.indexOf(`id="${id}"`)).split('</details>')[0] ?? '')
  const change = part('put-accounts-account_sid')
  expect(change).toContain(
    'All users and API keys, if they have access to the account. View-only users are not allowed.',
  )
  expect(change).toContain('account_sidpath, requiredtext')
  expect(change).toContain('name?: text of at most 64')
  expect(change).toContain('is_active?: true | false | 0 | 1')
  expect(change).toContain('siprec_hook_sid?: text | null')
  expect(change).toContain('204 without a body')
  expect(part('post-login')).toContain('No authentication required.')
  expect(part('post-login')).toContain('username: text\n')
  expect(part('get-accounts-account_sid-recentcalls')).toContain('pagequery, requiredtext')
  expect(part('get-users-me')).toContain('All users and API keys, for their own user. API keys are not allowed.')
  expect(part('delete-serviceproviders-service_provider_sid')).toContain('Admins. View-only users are not allowed.')
  expect(part('get-accounts')).toContain('list of {\n  account_sid: text\n')
})

test('the page contains no inline scripts or styles, and all files that it loads exist', async () => {
  expect(page).not.toMatch(/<style|\sstyle=|<script(?! src=)|\son\w+=/)
  const loaded = [...page.matchAll(/(?:src|href)="(\/api\/docs[^"]*)"/g)].map(([, url = '']) => url)
  expect(loaded).toHaveLength(3)
  for (const url of loaded) expect((await api.app.inject({ url })).statusCode).toBe(200)
})

test('no policy upgrades its URLs to https, so that it works under any name with http', async () => {
  const { headers } = await api.app.inject({ url: '/api/docs', headers: { host: 'pbx.example.org' } })
  expect(String(headers['content-security-policy'])).not.toContain('upgrade-insecure-requests')
  expect(headers['strict-transport-security']).toBeUndefined()
})

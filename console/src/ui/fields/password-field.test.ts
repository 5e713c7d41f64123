import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const source = fileURLToPath(new URL('../..', import.meta.url))

test('AUTH-25 only the password field creates password inputs, so that every one warns about caps lock', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
  const making = files.filter((name) =>
    /type=(?:"password"|\{[^}]*'password')/.test(readFileSync(join(source, name), 'utf8')),
  )
  expect(making).toEqual([join('ui', 'fields', 'password-field.tsx')])
})

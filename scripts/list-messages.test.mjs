import { expect, test } from 'vitest'
import { compareMessages, listMessages } from './list-messages.mjs'
import { productFolders } from './run/product-packages.mjs'

const messages = new Set(listMessages(productFolders))

// Names a text of each kind. If a text is reworded or moved, this list follows.
test.each([
  ['an element of a screen', 'console/src/screens/alerts: No data.'],
  ['an attribute', 'console/src/screens/overview: Updated every 30 seconds'],
  ['a template with a value', 'console/src/ui/table: Total: {…} record(s)'],
  ['an error of a form', 'console/src/screens/carriers/form: You must provide at least one SIP Gateway.'],
  ['an email', 'server/src/resources/registration: You already have an account'],
  ['a log message', 'server/src/app: this version of Node.js has known security holes; install a safe one'],
  [
    'an output of the command line',
    'server/src/cli: The backup contains no secrets. Keep secrets.json, or JWT_SECRET and ENCRYPTION_SECRET, separately.',
  ],
])('lists %s', (_kind, line) => {
  expect(messages).toContain(line)
})

test('lists texts of the API and its rules, and no paths, SQL, or style sheets', () => {
  expect([...messages].filter((line) => line.startsWith('contract/src')).length).toBeGreaterThan(100)
  expect([...messages].filter((line) => /: (?:SELECT|GET \/|INSERT INTO|\.\/|:root )/.test(line))).toEqual([])
})

test('lists the texts of one folder and the folders below it', () => {
  const ofCarriers = listMessages(['console/src/screens/carriers'])
  expect(ofCarriers).toContain('console/src/screens/carriers/form: You must provide at least one SIP Gateway.')
  expect(ofCarriers.filter((line) => !line.startsWith('console/src/screens/carriers'))).toEqual([])
})

test('compares the texts before and after a change', () => {
  expect(compareMessages(['a: Save', 'a: Delete'], ['a: Save', 'a: Remove', 'b: Delete'])).toEqual([
    '- a: Delete',
    '+ a: Remove',
    '+ b: Delete',
  ])
})

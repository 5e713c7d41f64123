import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const source = fileURLToPath(new URL('../..', import.meta.url))

/** Forms without *Copy request*, by the reason. A new form either offers its requests or is added here. */
const withoutRequests: Readonly<Record<string, readonly string[]>> = {
  'nobody is signed in, so there is no token for a program': [
    'screens/alert-subscription/screen.tsx',
    'screens/create-password/screen.tsx',
    'screens/forgot-password/screen.tsx',
    'screens/oauth-callback/link-account.tsx',
    'screens/register/by-email.tsx',
    'screens/register/verify-email.tsx',
    'screens/reset-password/screen.tsx',
    'screens/sign-in/screen.tsx',
  ],
  'part of the registration, which no program repeats': ['screens/register/choose-subdomain.tsx'],
  'a payment, which needs the consent to an amount, and a card that only the page of Stripe reads': [
    'screens/subscription/manage-payment.tsx',
    'screens/subscription/order-form.tsx',
  ],
  'a confirmation with the phrase of a person': ['screens/accounts/hosted/delete-own-account.tsx'],
  'changes only what the console shows': [
    'list/views/columns-dialog.tsx',
    'list/views/view-name-dialog.tsx',
    'screens/recent-calls/filters-dialog.tsx',
  ],
  'saves nothing, and its result offers the request that reads it': ['screens/inbound-explainer/screen.tsx'],
  'the frame that forms are made of': ['ui/fields/form-frame.tsx'],
  'the gallery of components': ['gallery/gallery.tsx'],
}

/** Frames with *Copy request*. A dialog has it if it reads its input apart from its submission. */
const isOffered = (code: string): boolean =>
  /<(?:CopyRequest|RecordForm)\b/.test(code) ||
  (/<(?:Dialog|)Form(?:Dialog)?\b/.test(code) && code.includes('readInput='))

test('every form offers its requests, or has a reason not to', () => {
  const forms = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tsx'))
    .filter((name) =>
      /<(?:form|FormFrame|FormDialog|DialogForm|RecordForm)\b/.test(readFileSync(join(source, name), 'utf8')),
    )
  const missing = forms.filter((name) => !isOffered(readFileSync(join(source, name), 'utf8')))
  expect(missing.map((name) => name.split(sep).join('/')).sort()).toEqual(Object.values(withoutRequests).flat().sort())
})

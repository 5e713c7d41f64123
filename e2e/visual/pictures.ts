import type { Page } from '@playwright/test'
import { settle } from './browser.ts'
import type { DemoRecords } from './records.ts'

/** The pictures of the documentation in `docs/images`. */

export interface Picture {
  name: string
  path: string
  as?: 'visitor' | 'dark'
  /** Height of the window in CSS pixels, if the content is higher than 900. */
  height?: number
  /** Steps on the page before the picture is taken. */
  prepare?: (page: Page) => Promise<unknown>
}

/** Opens a tab of the call page. */
const openTab = (name: string) => (page: Page) => page.getByRole('tab', { name, exact: true }).click()

const tryNumber = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Try a number' }).click()
  await page.getByRole('dialog').getByRole('textbox').first().fill('15085550123')
}

const showFinding = async (page: Page): Promise<void> => {
  await openTab('SIP')(page)
  await page.getByRole('region', { name: 'Facts of the call' }).waitFor()
  const finding = page
    .getByRole('listitem')
    .filter({ hasText: /^Error: .*Leg B/ })
    .first()
  await finding.getByRole('button', { name: /^Show / }).click()
}

const showSlowResponse = async (page: Page): Promise<void> => {
  await openTab('Conversation')(page)
  const findings = page.getByRole('region', { name: 'Findings' })
  await findings
    .getByRole('button', { name: /Slow response/ })
    .first()
    .click()
  const gaps = page.getByRole('group', { name: 'Conversation on the waveform' })
  await page
    .getByRole('button', { name: /^Response gap .*slow$/ })
    .first()
    .click()
  await gaps.getByRole('button').first().waitFor()
}

/** Returns the pictures with the records that they show. */
export const getPictures = (demo: DemoRecords): Picture[] => {
  const { account_sid, carrier, application, failed, traced, recorded, conversation } = demo
  const calls = '/internal/recent-calls'
  return [
    { name: 'sign-in', path: '/', as: 'visitor' },
    { name: 'overview', path: '/internal/overview', height: 1260 },
    { name: 'accounts', path: '/internal/accounts' },
    { name: 'accounts-dark', path: '/internal/accounts', as: 'dark' },
    { name: 'carriers', path: '/internal/carriers' },
    { name: 'carrier', path: `/internal/carriers/${carrier}/edit` },
    { name: 'phone-numbers', path: '/internal/phone-numbers' },
    { name: 'application', path: `/internal/applications/${application}/edit` },
    { name: 'speech-services', path: '/internal/speech-services' },
    { name: 'outbound-routing', path: '/internal/least-cost-routing/own', prepare: tryNumber },
    { name: 'recent-calls', path: `${calls}?account=${account_sid}&date=7` },
    { name: 'failed-call', path: `${calls}/${account_sid}/${failed}`, prepare: showFinding, height: 1260 },
    {
      name: 'failed-call-dark',
      path: `${calls}/${account_sid}/${failed}`,
      prepare: showFinding,
      as: 'dark',
      height: 1260,
    },
    { name: 'trace', path: `${calls}/${account_sid}/${traced}`, prepare: openTab('Tracing') },
    { name: 'recording', path: `${calls}/${recorded.account_sid}/${recorded.call_sid}` },
    {
      name: 'conversation',
      path: `${calls}/${conversation.account_sid}/${conversation.call_sid}`,
      prepare: showSlowResponse,
      height: 1340,
    },
    { name: 'call-quality', path: '/internal/call-quality?account=all&days=30' },
    {
      name: 'conversation-quality',
      path: '/internal/conversation-quality?account=all&days=30&by=carrier',
      height: 1140,
    },
    { name: 'alerts', path: '/internal/alerts?date=30' },
    { name: 'audit-trail', path: '/internal/audit-trail' },
  ]
}

/** Opens the screen of a picture. */
export const showPicture = async (page: Page, { path, height = 900, prepare }: Picture): Promise<void> => {
  await page.setViewportSize({ width: 1440, height })
  await page.goto(path)
  await settle(page)
  await prepare?.(page)
  await settle(page)
}

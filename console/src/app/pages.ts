import type { ComponentType } from 'react'
import { searchSelect } from '../fields/search-select.lazy.ts'
import { accountList, addAccount, editAccount } from '../routes/accounts.ts'
import { addDestination, destinationList, editDestination } from '../routes/alert-destinations.ts'
import { alertMails } from '../routes/alert-subscription.ts'
import { alerts } from '../routes/alerts.ts'
import { apiKeyList } from '../routes/api-keys.ts'
import { addApplication, applicationList, editApplication } from '../routes/applications.ts'
import { auditTrail } from '../routes/audit-trail.ts'
import { callQuality } from '../routes/call-quality.ts'
import { addCarrier, carrierList, connectCarrier, editCarrier } from '../routes/carriers.ts'
import { addClient, clientList, editClient } from '../routes/clients.ts'
import { conversationQuality } from '../routes/conversation-quality.ts'
import { conversationSearch } from '../routes/conversation-search.ts'
import { createPassword } from '../routes/create-password.ts'
import type { Screen, ScreenParams } from '../routes/define-screen.ts'
import { forgotPassword } from '../routes/forgot-password.ts'
import { inboundExplainer } from '../routes/inbound-explainer.ts'
import { addRouting, editRouting, ownRouting, routingList } from '../routes/lcr.ts'
import { liveCalls } from '../routes/live-calls.ts'
import { maskingRules } from '../routes/masking-rules.ts'
import { addTeamsTenant, editTeamsTenant, teamsTenantList } from '../routes/ms-teams-tenants.ts'
import { overview } from '../routes/overview.ts'
import { addPhoneNumber, editPhoneNumber, importPhoneNumbers, phoneNumberList } from '../routes/phone-numbers.ts'
import { oneCall, recentCalls } from '../routes/recent-calls.ts'
import type { RecordsModule } from '../routes/record-link.ts'
import { resetPassword } from '../routes/reset-password.ts'
import { reviewSettings, reviews } from '../routes/reviews.ts'
import { settings } from '../routes/settings.ts'
import { signIn } from '../routes/sign-in.ts'
import { addSpeech, editSpeech, speechList } from '../routes/speech-services.ts'
import { systemStatus } from '../routes/system-status.ts'
import { addUser, editUser, userList } from '../routes/users.ts'

type Load<Module = unknown> = () => Promise<Module>

/** Starts the reads of a page while its code and the frame are still loading. */
type PageLoader<Path extends string, Search extends object> = (location: {
  params: ScreenParams<Path>
  search: Search
}) => Promise<unknown>

interface PageModule {
  loader?: PageLoader<string, never>
}

/** The code of a screen. */
export interface Page {
  screen: Screen
  load: Load<PageModule>
  /** Modules that the page loads lazily and that are worth fetching when the browser is idle. */
  preload?: readonly Load[]
  /** Finds the records of the list in the command palette, by name or SID. */
  records?: Load<RecordsModule>
}

/** The name of the page component among the exports of a module. `never` if there is none. */
type PageName<Module> = {
  [Name in keyof Module]: Module[Name] extends ComponentType ? Name & `${string}Page` : never
}[keyof Module]

/** A module without a page component does not match. */
type WithPage<Module> = [PageName<Module>] extends [never] ? never : Module

/**
 * Connects a screen to its code. The types check that there is a page component, and the parameters of the loader.
 * @param load imports the module of the page, whose name ends in `Page`
 * @param more modules to preload, and the module that finds the records of a list in the command palette
 */
export const page = <Path extends string, Search extends object, Module extends object>(
  screen: Screen<Path, Search>,
  load: Load<WithPage<Module> & { loader?: PageLoader<Path, Search> }>,
  more: Pick<Page, 'preload' | 'records'> = {},
): Page => ({ screen, load, ...more })

/** Returns the page component among the exports of its module. */
export const findPage = (module: object): ComponentType => {
  const [, component] = Object.entries(module).find(([name]) => name.endsWith('Page')) ?? []
  // The types of `page` ensure that there is one.
  return component as ComponentType
}

/**
 * The page of every screen, in the order of the menu and of the palette's groups. Each loads when its screen opens.
 */
export const pages: readonly Page[] = [
  page(signIn, () => import('../screens/sign-in/screen.tsx')),
  page(createPassword, () => import('../screens/create-password/screen.tsx')),
  page(forgotPassword, () => import('../screens/forgot-password/screen.tsx')),
  page(resetPassword, () => import('../screens/reset-password/screen.tsx')),
  page(alertMails, () => import('../screens/alert-subscription/screen.tsx')),
  page(overview, () => import('../screens/overview/screen.tsx')),
  page(recentCalls, () => import('../screens/recent-calls/list.tsx'), {
    preload: [searchSelect, () => import('../screens/recent-calls/call-tools.tsx')],
  }),
  page(oneCall, () => import('../screens/recent-calls/call-page.tsx')),
  page(liveCalls, () => import('../screens/live-calls/list.tsx')),
  page(alerts, () => import('../screens/alerts/list.tsx'), { preload: [searchSelect] }),
  page(destinationList, () => import('../screens/alert-destinations/list.tsx')),
  page(addDestination, () => import('../screens/alert-destinations/add.tsx')),
  page(editDestination, () => import('../screens/alert-destinations/edit.tsx')),
  page(callQuality, () => import('../screens/call-quality/quality.tsx'), {
    preload: [searchSelect],
  }),
  page(conversationQuality, () => import('../screens/conversation-quality/quality.tsx'), {
    preload: [searchSelect],
  }),
  page(conversationSearch, () => import('../screens/conversation-search/search.tsx')),
  page(reviews, () => import('../screens/reviews/screen.tsx')),
  page(reviewSettings, () => import('../screens/review-settings/screen.tsx')),
  page(carrierList, () => import('../screens/carriers/list.tsx'), {
    preload: [searchSelect, () => import('../screens/carriers/delete-carrier.tsx')],
    records: () => import('../screens/carriers/queries.ts'),
  }),
  page(addCarrier, () => import('../screens/carriers/add.tsx')),
  page(connectCarrier, () => import('../screens/carriers/guided/guided.tsx')),
  page(editCarrier, () => import('../screens/carriers/edit.tsx')),
  page(speechList, () => import('../screens/speech-services/list.tsx'), {
    preload: [searchSelect, () => import('../screens/speech-services/delete-service.tsx')],
    records: () => import('../screens/speech-services/queries.ts'),
  }),
  page(addSpeech, () => import('../screens/speech-services/add.tsx'), {
    preload: [() => import('../screens/speech-services/form/vendor-fields.tsx')],
  }),
  page(editSpeech, () => import('../screens/speech-services/edit.tsx'), {
    preload: [() => import('../screens/speech-services/form/vendor-fields.tsx')],
  }),
  page(phoneNumberList, () => import('../screens/phone-numbers/list.tsx'), {
    preload: [searchSelect, () => import('../screens/phone-numbers/selection-bar.tsx')],
  }),
  page(addPhoneNumber, () => import('../screens/phone-numbers/add.tsx')),
  page(importPhoneNumbers, () => import('../screens/phone-numbers/import.tsx')),
  page(editPhoneNumber, () => import('../screens/phone-numbers/edit.tsx')),
  page(inboundExplainer, () => import('../screens/inbound-explainer/screen.tsx')),
  page(teamsTenantList, () => import('../screens/ms-teams-tenants/list.tsx'), {
    preload: [searchSelect],
    records: () => import('../screens/ms-teams-tenants/queries.ts'),
  }),
  page(addTeamsTenant, () => import('../screens/ms-teams-tenants/add.tsx')),
  page(editTeamsTenant, () => import('../screens/ms-teams-tenants/edit.tsx')),
  page(routingList, () => import('../screens/lcr/list.tsx'), {
    preload: [searchSelect],
    records: () => import('../screens/lcr/queries.ts'),
  }),
  page(ownRouting, () => import('../screens/lcr/redirect-to-own.tsx')),
  page(addRouting, () => import('../screens/lcr/add.tsx')),
  page(editRouting, () => import('../screens/lcr/edit.tsx')),
  page(applicationList, () => import('../screens/applications/list.tsx'), {
    preload: [searchSelect],
    records: () => import('../screens/applications/queries.ts'),
  }),
  page(addApplication, () => import('../screens/applications/add.tsx')),
  page(editApplication, () => import('../screens/applications/edit.tsx')),
  page(accountList, () => import('../screens/accounts/list.tsx'), {
    preload: [() => import('../screens/accounts/delete-account.tsx')],
    records: () => import('../screens/accounts/queries.ts'),
  }),
  page(addAccount, () => import('../screens/accounts/add.tsx')),
  page(editAccount, () => import('../screens/accounts/edit.tsx')),
  page(clientList, () => import('../screens/clients/list.tsx'), {
    preload: [searchSelect],
    records: () => import('../screens/clients/queries.ts'),
  }),
  page(addClient, () => import('../screens/clients/add.tsx')),
  page(editClient, () => import('../screens/clients/edit.tsx')),
  page(userList, () => import('../screens/users/list.tsx'), {
    preload: [searchSelect],
    records: () => import('../screens/users/queries.ts'),
  }),
  page(addUser, () => import('../screens/users/add.tsx')),
  page(editUser, () => import('../screens/users/edit.tsx')),
  page(apiKeyList, () => import('../screens/api-keys/list.tsx'), {
    records: () => import('../screens/api-keys/queries.ts'),
  }),
  page(auditTrail, () => import('../screens/audit-trail/list.tsx')),
  page(systemStatus, () => import('../screens/system-status/screen.tsx')),
  page(settings, () => import('../screens/settings/screen.tsx')),
  page(maskingRules, () => import('../screens/masking-rules/screen.tsx')),
]

/** All screens, in the order of the menu. */
export const screens: readonly Screen[] = pages.map(({ screen }) => screen)

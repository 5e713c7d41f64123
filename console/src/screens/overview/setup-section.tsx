import type { Scope } from '@patchbay/contract/api/access'
import type { Setup } from '@patchbay/contract/overview'
import type { SetupStep, StepProblem } from '@patchbay/contract/shared/attention-kinds'
import { stepOwner } from '@patchbay/rules/overview/setup-steps'
import { config } from '../../api/configuration.ts'
import { alerts } from '../../routes/alerts.ts'
import { addApplication, applicationList } from '../../routes/applications.ts'
import { carrierList, connectCarrier } from '../../routes/carriers.ts'
import type { Screen } from '../../routes/define-screen.ts'
import { addPhoneNumber, phoneNumberList } from '../../routes/phone-numbers.ts'
import { recentCalls } from '../../routes/recent-calls.ts'
import { addSipAddressHash, settings } from '../../routes/settings.ts'
import { addSpeech, speechList } from '../../routes/speech-services.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { stepBadges, stepTitles } from '../../sections/setup/step-labels.ts'
import { requiredSession } from '../../session/session.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Block } from '../../ui/block.tsx'
import { classes } from '../../ui/classes.ts'
import styles from './overview.module.css'

interface StepMessages {
  hint: string
  link: string
  to: Screen
  search?: object
  hash?: string
}

const steps: Readonly<Record<SetupStep, StepMessages>> = {
  sip_addresses: {
    hint: 'Carriers send calls to the SIP addresses of the platform.',
    link: 'Add a SIP address',
    to: settings,
    hash: addSipAddressHash,
  },
  carrier: {
    hint: 'An active carrier with an active gateway connects you to the telephone network.',
    link: 'Add a carrier',
    to: connectCarrier,
  },
  speech: {
    hint: 'Applications speak and listen with the services of a speech vendor.',
    link: 'Add a speech service',
    to: addSpeech,
  },
  application: {
    hint: 'A calling webhook, or a list of verbs, says what happens on a call.',
    link: 'Add an application',
    to: addApplication,
  },
  number: {
    hint: 'Calls to the number start its application.',
    link: 'Add a phone number',
    to: addPhoneNumber,
  },
  first_call: {
    hint: 'Call one of your numbers. The call appears in the recent calls when it ends.',
    link: 'Open recent calls',
    to: recentCalls,
  },
}

/** Why a step whose record exists is not done, and where to solve it. */
const problems: Readonly<Record<StepProblem, StepMessages>> = {
  registration_failing: {
    hint: 'The registration with the carrier failed or has expired, so the carrier may send no calls.',
    link: 'Open the carriers',
    to: carrierList,
    search: { attention: 'carrier_unregistered' },
  },
  registration_unreported: {
    hint: 'The carrier needs a registration, and none was reported yet.',
    link: 'Open the carriers',
    to: carrierList,
    search: { attention: 'registration_unreported' },
  },
  pings_failing: {
    hint: 'No gateway of the carrier responds to OPTIONS pings.',
    link: 'Open the carriers',
    to: carrierList,
  },
  speech_untested: {
    hint: 'No test of a speech service has succeeded yet.',
    link: 'Test a speech service',
    to: speechList,
  },
  speech_failed: {
    hint: 'The last test of the speech service failed.',
    link: 'Open the speech services',
    to: speechList,
    search: { attention: 'speech_test_failed' },
  },
  speech_missing: {
    hint: 'The application names a speech service that the account does not have.',
    link: 'Open the applications',
    to: applicationList,
    search: { attention: 'speech_missing' },
  },
  webhook_failed: {
    hint: 'The webhook of the application failed at its last call.',
    link: 'Open the applications',
    to: applicationList,
  },
  call_failed: {
    hint: 'At the last call of the application, an alert was raised that says why it may fail.',
    link: 'Open the alerts',
    to: alerts,
  },
  application_failing: {
    hint: 'The number has an application that fails. See the step before.',
    link: 'Open the phone numbers',
    to: phoneNumberList,
  },
  carrier_inactive: {
    hint: 'The carrier of the number is inactive, so no call reaches it.',
    link: 'Open the phone numbers',
    to: phoneNumberList,
  },
  carrier_failing: {
    hint: 'The carrier of the number fails, so calls may not reach it.',
    link: 'Open the carriers',
    to: carrierList,
  },
  no_inbound_gateway: {
    hint: 'The number has no carrier with an inbound gateway, so no call reaches it.',
    link: 'Open the carriers',
    to: carrierList,
  },
  not_answered: {
    hint: 'Calls were received, but none was answered.',
    link: 'Open recent calls',
    to: recentCalls,
  },
}

const unknownCalls: StepMessages = { ...steps.first_call, hint: 'Patchbay receives no call records at the moment.' }

const getMessages = ({ step, state, problem }: Setup['steps'][number]): StepMessages => {
  if (problem !== null) return problems[problem]
  return state === 'unknown' ? unknownCalls : steps[step]
}

const ownerNames: Readonly<Record<Scope, string>> = {
  admin: 'An administrator of the platform',
  service_provider: 'Your service provider',
  account: 'A user of the account',
}

const Step = ({ item }: { item: Setup['steps'][number] }) => {
  const { step, state } = item
  const { actor } = requiredSession()
  const { hint, link, ...target } = getMessages(item)
  const isDone = state === 'done'
  const owner = stepOwner(step, actor.scope, config().switches.has('admin-carriers'))
  return (
    <li className={classes(styles['step'], isDone && styles['done'])}>
      <StateBadge tone={stepBadges[state].tone}>{stepBadges[state].label}</StateBadge>
      <div>
        <p className={styles['name']}>{stepTitles[step]}</p>
        {!isDone && (
          <p className={styles['hint']}>
            {hint} {owner !== undefined && `${ownerNames[owner]} has to do this.`}
          </p>
        )}
      </div>
      {!isDone && owner === undefined && !(actor.is_view_only && target.to.requiresWrite) && (
        <ScreenLink {...target}>{link}</ScreenLink>
      )}
    </li>
  )
}

/** The steps to a first call, each with its state and the screen that completes it. */
export const SetupSection = ({ setup: { steps: all } }: { setup: Setup }) => {
  const done = all.filter(({ state }) => state === 'done').length
  return (
    <Block title="Get ready for calls" aside={`${done} of ${all.length} steps are done.`}>
      <ol className={styles['steps']}>
        {all.map((each) => (
          <Step key={each.step} item={each} />
        ))}
      </ol>
    </Block>
  )
}

import type { Lcr } from '@patchbay/contract/lcrs'
import { type RouteOutcome, type RouteStep, routingsFor } from '@patchbay/rules/routing/outbound'
import { useQuery } from '@tanstack/react-query'
import { ArrowRight, CircleCheck, CircleDashed, CircleX, type LucideIcon } from 'lucide-react'
import { useState } from 'react'
import { accountQuery, carrierQuery } from '../../api/record-queries.ts'
import { accountsQuery } from '../../api/shared-queries.ts'
import { ErrorBanner } from '../../feedback/error-banner.tsx'
import { AccountField } from '../../fields/account-field.tsx'
import { currentHealthQuery } from '../../sections/carrier-health/queries.ts'
import { RoutingOutcome } from '../../sections/routing-outcome.tsx'
import { useProviders } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import { Banner } from '../../ui/banner.tsx'
import { classes } from '../../ui/classes.ts'
import { ReadOnlyFields } from '../../ui/fields/field-frame.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import styles from './dry-run.module.css'
import type { LcrValues } from './form/lcr-form.ts'
import { routingName } from './list-filters.ts'
import { gatewaysQuery, lcrsQuery, routesQuery } from './queries.ts'
import { judgeSelection } from './selected-carrier.ts'
import {
  chanceText,
  outcomeText,
  type TriedRoute,
  toDialString,
  toSimulatedRoutes,
  triedSteps,
  unseenText,
} from './simulate-routing.ts'

/** Unsaved form values that the dry run uses in place of the stored routing. */
export interface Unsaved {
  /** Absent for a new routing. */
  lcr_sid?: string | undefined
  values: LcrValues
}

type Routing = Pick<Lcr, 'lcr_sid' | 'name' | 'is_active' | 'account_sid' | 'service_provider_sid'> & {
  /** Set for the unsaved form only. The routes of stored routings are read when needed. */
  routes?: readonly TriedRoute[]
}

const icons: Readonly<Record<RouteOutcome['is'], LucideIcon>> = {
  taken: CircleCheck,
  empty: ArrowRight,
  unmatched: CircleDashed,
  invalid: CircleX,
  not_tried: CircleDashed,
}

const Step = ({ step }: { step: RouteStep<TriedRoute> }) => {
  const { is } = step.outcome
  const Icon = icons[is]
  return (
    <li className={classes(styles['step'], styles[is])}>
      <Icon size={14} aria-hidden="true" />
      <code>{step.route.regex}</code>
      <span>
        {outcomeText(step.outcome)}
        {chanceText(step) && <span className={styles['muted']}> {chanceText(step)}</span>}
      </span>
    </li>
  )
}

/** Shows the carrier and its outbound gateways. */
const CarrierPart = ({ voip_carrier_sid, isUncertain }: { voip_carrier_sid: string; isUncertain: boolean }) => {
  const carrier = useQuery(carrierQuery(voip_carrier_sid))
  const gateways = useQuery(gatewaysQuery(voip_carrier_sid))
  const health = useQuery(currentHealthQuery([voip_carrier_sid]))
  const error = carrier.error ?? gateways.error
  if (error) return <ErrorBanner error={error} />
  if (carrier.data === undefined || gateways.data === undefined || health.isLoading) return <Spinner />
  const outbound = gateways.data.filter((gateway) => gateway.outbound)
  const active = outbound.filter(({ is_active }) => is_active)
  const { outcome, text, reasons } = judgeSelection({
    carrier: carrier.data,
    activeGateways: active.length,
    isUncertain,
    health: health.data?.get(voip_carrier_sid),
  })
  return (
    <div className={styles['part']}>
      <RoutingOutcome framed outcome={outcome}>
        <bdi>{carrier.data.name}</bdi> {text}
        {reasons.length > 0 && <p className={styles['muted']}>{reasons.join(' ')}</p>}
      </RoutingOutcome>
      {outbound.length > 0 && (
        <>
          <h3>Its gateways</h3>
          <ol className={styles['gateways']}>
            {outbound.map(({ sip_gateway_sid, ipv4, port, protocol, is_active }) => (
              <li key={sip_gateway_sid}>
                <code>
                  {ipv4}
                  {port === null ? '' : `:${port}`}
                </code>{' '}
                {protocol ?? 'udp'}
                {!is_active && <span className={styles['muted']}>, inactive: not tried</span>}
              </li>
            ))}
          </ol>
          {active.length > 1 && (
            <p className={styles['muted']}>
              If a gateway rejects the call, the platform tries the next one. The order of gateways is undefined.
              Unresponsive gateways are skipped.
            </p>
          )}
        </>
      )}
    </div>
  )
}

const NoCarrier = ({ why, outcome }: { why: string; outcome: 'bad' | 'unknown' }) => (
  <div className={styles['part']}>
    <RoutingOutcome framed outcome={outcome}>
      {why}
    </RoutingOutcome>
    <p className={styles['muted']}>
      The platform then uses the carrier that the call came in on, if it has an outbound gateway. Otherwise it chooses a
      random active carrier of the account, or else one of the service provider’s for all accounts. Without any, it
      rejects the call with 603.
    </p>
  </div>
)

interface RoutingPartProps {
  routing: Routing
  number: string
  isUncertain: boolean
}

/** Shows how one routing handles the number. */
const RoutingPart = ({ routing, number, isUncertain }: RoutingPartProps) => {
  const storedRoutes = useQuery({ ...routesQuery(routing.lcr_sid), enabled: routing.routes === undefined })
  const routes = routing.routes ?? storedRoutes.data
  if (routes === undefined) return storedRoutes.error ? <ErrorBanner error={storedRoutes.error} /> : <Spinner />
  const { tried, untried, voip_carrier_sid, isByChance } = triedSteps<TriedRoute>(routes, number)
  return (
    <div className={styles['part']}>
      <h3>
        <bdi>{routingName(routing)}</bdi>, of {routing.account_sid ? 'the account' : 'the service provider'}
        {routing.routes && ', with the values in the form'}
      </h3>
      {!routing.is_active && <p className={styles['muted']}>It is inactive, but the platform ignores that.</p>}
      <ol className={styles['steps']}>
        {tried.map((step) => (
          <Step key={`${step.route.priority} ${step.route.regex}`} step={step} />
        ))}
      </ol>
      {untried > 0 && (
        <p className={styles['muted']}>
          {untried === 1 ? '1 later route is not tried.' : `${untried} later routes are not tried.`}
        </p>
      )}
      {voip_carrier_sid === null ? (
        <NoCarrier why="No route selects a carrier." outcome="bad" />
      ) : (
        <CarrierPart
          key={voip_carrier_sid}
          voip_carrier_sid={voip_carrier_sid}
          isUncertain={isUncertain || isByChance}
        />
      )}
    </div>
  )
}

/** Replaces the stored routing with the unsaved one. */
const withUnsaved = (lcrs: readonly Routing[], unsaved: Unsaved | undefined, provider: string): Routing[] => {
  if (unsaved === undefined) return [...lcrs]
  const { lcr_sid = '', values } = unsaved
  const storedLcr = lcrs.find((lcr) => lcr.lcr_sid === lcr_sid)
  const account_sid = storedLcr ? storedLcr.account_sid : values.account_sid || null
  const unsavedRouting: Routing = {
    lcr_sid,
    name: values.name,
    is_active: values.is_active ? 1 : 0,
    account_sid,
    service_provider_sid: storedLcr ? storedLcr.service_provider_sid : account_sid ? null : provider,
    routes: toSimulatedRoutes(values),
  }
  return [unsavedRouting, ...lcrs.filter((lcr) => lcr !== storedLcr)]
}

interface ResultProps {
  account_sid: string
  number: string
  unsaved: Unsaved | undefined
}

const Result = ({ account_sid, number, unsaved }: ResultProps) => {
  const { actor } = requiredSession()
  const { current } = useProviders()
  const service_provider_sid = actor.service_provider_sid ?? current?.service_provider_sid ?? null
  const lcrs = useQuery(lcrsQuery)
  const account = useQuery(accountQuery(account_sid))
  if (account.isLoading) return <Spinner />
  if (lcrs.data === undefined) return lcrs.error ? <ErrorBanner error={lcrs.error} /> : <Spinner />
  const all = withUnsaved(lcrs.data, unsaved, service_provider_sid ?? '')
  const applicable = routingsFor(all, { account_sid, service_provider_sid })
  const isElsewhere = unsaved !== undefined && applicable.every(({ routes }) => routes === undefined)
  const unseen = unseenText(actor)
  const isInactive = account.data?.is_active === 0
  return (
    <div className={styles['result']}>
      {isElsewhere && <Banner tone="info">The routing in the form does not apply to calls of this account.</Banner>}
      {applicable.length > 1 && (
        <Banner tone="warn" title="Two outbound routings apply">
          The account and its service provider each have one. The platform may use either.
        </Banner>
      )}
      {isInactive && <Banner tone="warn">The account is inactive, so the platform may reject its calls.</Banner>}
      {applicable.map((routing) => (
        <RoutingPart
          key={routing.lcr_sid}
          routing={routing}
          number={number}
          isUncertain={isInactive || applicable.length > 1}
        />
      ))}
      {applicable.length === 0 && (
        <NoCarrier why="No outbound routing applies to calls of this account." outcome="unknown" />
      )}
      {unseen && <p className={styles['muted']}>{unseen}</p>}
      <p className={styles['muted']}>A call that names its carrier (X-Requested-Carrier-Sid) bypasses these routes.</p>
    </div>
  )
}

/** Returns the preselected account: the user's own, that of the form, that of the account filter, or the first one. */
const useFirstAccount = (unsaved: Unsaved | undefined): string => {
  const { actor } = requiredSession()
  const { current } = useProviders()
  const accounts = useQuery({
    ...accountsQuery(current?.service_provider_sid ?? ''),
    enabled: actor.scope !== 'account',
  }).data
  const filtered = stored.accountFilter.read()
  const preselected = accounts?.find((account) => account.account_sid === filtered) ?? accounts?.[0]
  return actor.account_sid ?? (unsaved?.values.account_sid || (preselected?.account_sid ?? ''))
}

export interface DryRunProps {
  unsaved?: Unsaved
  onClose: () => void
}

/** Dialog that shows step by step how an outbound call would be routed, without making a call. */
export const DryRun = ({ unsaved, onClose }: DryRunProps) => {
  const { actor } = requiredSession()
  const { current } = useProviders()
  const [typed, setTyped] = useState('')
  const [selectedAccountSid, setChosen] = useState<string>()
  const first = useFirstAccount(unsaved)
  const account_sid = selectedAccountSid ?? first
  const number = toDialString(typed)
  return (
    <Dialog title="Try a number" size="medium" onClose={onClose}>
      {/* View-only users can use the dry run, too. */}
      <ReadOnlyFields value={false}>
        <p className={styles['muted']}>Shows which carrier the platform selects for a number. No call is made.</p>
        <div className={styles['form']}>
          <TextField
            label="Called number"
            hint={
              number !== '' && number !== typed.trim() ? `Looked up as ${number}` : 'Enter the number as it is dialed.'
            }
            mono
            data-autofocus
            autoComplete="off"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
          {actor.scope !== 'account' && current && (
            <AccountField
              service_provider_sid={current.service_provider_sid}
              hint="The account that makes the call."
              value={account_sid}
              onChange={setChosen}
            />
          )}
        </div>
        {number !== '' && account_sid !== '' && <Result account_sid={account_sid} number={number} unsaved={unsaved} />}
      </ReadOnlyFields>
    </Dialog>
  )
}

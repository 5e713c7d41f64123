import type { ComponentPart, ComponentState, SystemComponent } from '@patchbay/contract/system-status'
import type { ReactNode } from 'react'
import { accountList } from '../../routes/accounts.ts'
import { settings } from '../../routes/settings.ts'
import { speechList } from '../../routes/speech-services.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { StateBadge, type StateTone } from '../../ui/badge.tsx'
import { classes } from '../../ui/classes.ts'
import { formatCount } from '../../ui/format/text.ts'
import { RelativeTime } from '../../ui/format/time.tsx'
import styles from './system-status.module.css'

const stateLabels: Readonly<Record<ComponentState, readonly [tone: StateTone, label: string]>> = {
  ok: ['good', 'OK'],
  warning: ['warn', 'Warning'],
  failing: ['bad', 'Failing'],
  not_configured: ['neutral', 'Not configured'],
  unknown: ['neutral', 'Unknown'],
}

const State = ({ state }: { state: ComponentState }) => {
  const [tone, label] = stateLabels[state]
  return <StateBadge tone={tone}>{label}</StateBadge>
}

/** Links to the screens that repair a component, by component. */
const repairLinks: Readonly<Record<string, ReactNode>> = {
  sbcs: <ScreenLink to={settings}>SIP addresses in the settings</ScreenLink>,
  'object-storage': <ScreenLink to={accountList}>Accounts</ScreenLink>,
  speech: <ScreenLink to={speechList}>Speech services</ScreenLink>,
}

const Part = ({ part: { name, state, detail, last_contact } }: { part: ComponentPart }) => (
  <li className={styles['part']}>
    <code>{name}</code>
    <State state={state} />
    {last_contact !== null && <RelativeTime iso={last_contact} />}
    {detail !== null && <span className={styles['muted']}>{detail}</span>}
  </li>
)

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const Settings = ({ names }: { names: readonly string[] }) => (
  <ul className={styles['settings']}>
    {names.map((name) => (
      <li key={name}>
        <code>{name}</code>
      </li>
    ))}
  </ul>
)

const Instances = ({ name, parts, part_count }: Pick<SystemComponent, 'name' | 'parts' | 'part_count'>) => (
  <>
    <ul className={styles['parts']} aria-label={`Instances: ${name}`}>
      {parts.map((part) => (
        <Part key={part.name} part={part} />
      ))}
    </ul>
    {part_count > parts.length && <p className={styles['muted']}>and {formatCount(part_count - parts.length)} more</p>}
  </>
)

/** Returns whether a component needs attention. */
export const needsAttention = ({ state }: Pick<SystemComponent, 'state'>): boolean =>
  state === 'failing' || state === 'warning'

/** A component: its state, and what an outage causes and how to repair it, which is open if it needs attention. */
export const Component = ({ component }: { component: SystemComponent }) => {
  const { id, name, state, detail, last_contact, version, effect, fix, settings: names, parts, part_count } = component
  return (
    <li id={id} className={classes(styles['component'], needsAttention(component) && styles['urgent'])}>
      <div className={styles['line']}>
        <h3>{name}</h3>
        <State state={state} />
        <dl className={styles['facts']}>
          {version !== null && (
            <Fact name="Version">
              <span className="mono">{version}</span>
            </Fact>
          )}
          {last_contact !== null && (
            <Fact name="Last contact">
              <RelativeTime iso={last_contact} />
            </Fact>
          )}
        </dl>
      </div>
      <p>{detail}</p>
      {parts.length > 0 && <Instances name={name} parts={parts} part_count={part_count} />}
      {/* The key opens the details again when the state changes. */}
      <details key={state} open={needsAttention(component)}>
        <summary>
          {state === 'not_configured' ? 'How to configure it' : 'Effect of an outage, and how to fix it'}
        </summary>
        <dl className={styles['help']}>
          <Fact name="During an outage">{effect}</Fact>
          <Fact name="How to fix it">{fix}</Fact>
          {repairLinks[id] !== undefined && <Fact name="Open">{repairLinks[id]}</Fact>}
          {names.length > 0 && (
            <Fact name="Settings">
              <Settings names={names} />
            </Fact>
          )}
        </dl>
      </details>
    </li>
  )
}

import { isAtLeast } from '@patchbay/contract/api/access'
import type { CallFigures, Overview } from '@patchbay/contract/overview'
import { liveCalls as liveCallsScreen } from '../../routes/live-calls.ts'
import { recentCalls } from '../../routes/recent-calls.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'
import { Block } from '../../ui/block.tsx'
import { FigureCard, FigureCards, NoFigure } from '../../ui/figures.tsx'
import { formatCount } from '../../ui/format/text.ts'
import { callsInScope } from './calls-in-scope.ts'
import { FailuresTable } from './failures-table.lazy.ts'
import { attemptsText, changeText, rateChangeText, rateText, weekdayText } from './format-figures.ts'
import { HourlyChart } from './hourly-chart.tsx'
import styles from './overview.module.css'

/** Says why a source has no figures, and how to connect it. */
const MissingSource = ({ setting }: { setting: string | null }) =>
  setting === null ? (
    'The source does not respond. Patchbay tries again every 30 seconds.'
  ) : isAtLeast(requiredSession().actor.scope, 'admin') ? (
    <>
      Set <code>{setting}</code> on the server to connect it.
    </>
  ) : (
    'An administrator of the platform can connect it.'
  )

const noFigure = (setting: string | null) => <NoFigure>{setting === null ? 'Unavailable' : 'Not connected'}</NoFigure>

const LiveCallsCard = ({ count, setting }: Overview['live_calls']) =>
  count === null ? (
    <FigureCard label="Calls in progress" figure={noFigure(setting)} hint={<MissingSource setting={setting} />} />
  ) : (
    <FigureCard
      label="Calls in progress"
      figure={
        <ScreenLink
          to={liveCallsScreen}
          search={callsInScope()}
          aria-label={`${formatCount(count)} ${count === 1 ? 'call' : 'calls'} in progress`}
        >
          {formatCount(count)}
        </ScreenLink>
      }
      hint="Updated every 30 seconds"
    />
  )

const TodayCards = ({ today, last_week }: CallFigures) => {
  const comparison = `${weekdayText()} last week, up to this time`
  const { attempts, answered, from, until } = last_week
  const lastWeek = { ...callsInScope(), from, until }
  return (
    <>
      <FigureCard
        label="Attempts today"
        figure={
          <ScreenLink
            to={recentCalls}
            search={{ ...callsInScope(), date: 'today' }}
            aria-label={`${attemptsText(today.attempts)} today`}
          >
            {formatCount(today.attempts)}
          </ScreenLink>
        }
        hint={
          <>
            {changeText(today.attempts, attempts)}{' '}
            <ScreenLink to={recentCalls} search={lastWeek} aria-label={`${attemptsText(attempts)} on ${comparison}`}>
              {comparison}
            </ScreenLink>
          </>
        }
      />
      <FigureCard
        label="Answer rate today"
        figure={
          <ScreenLink
            to={recentCalls}
            search={{ ...callsInScope(), date: 'today', answered: 'true' }}
            aria-label={`${formatCount(today.answered)} answered today, ${rateText(today)}`}
          >
            {rateText(today)}
          </ScreenLink>
        }
        hint={
          <>
            {rateChangeText(today, last_week)}{' '}
            <ScreenLink
              to={recentCalls}
              search={{ ...lastWeek, answered: 'true' }}
              aria-label={`${formatCount(answered)} answered on ${comparison}`}
            >
              {comparison}
            </ScreenLink>
          </>
        }
      />
    </>
  )
}

/** Calls in progress, calls of today, and the most frequent failures. */
export const CallsSection = ({
  liveCalls,
  callData: { figures, setting },
}: {
  liveCalls: Overview['live_calls']
  callData: Overview['call_data']
}) => (
  <Block title="Calls">
    <FigureCards>
      <LiveCallsCard {...liveCalls} />
      {figures === null ? (
        <FigureCard label="Call records" figure={noFigure(setting)} hint={<MissingSource setting={setting} />} />
      ) : (
        <TodayCards {...figures} />
      )}
    </FigureCards>
    {figures !== null && (
      <>
        {figures.hours.some(({ attempts }) => attempts > 0) ? (
          <HourlyChart hours={figures.hours} />
        ) : (
          <p className={styles['hint']}>No calls in this hour and the 23 before.</p>
        )}
        <FailuresTable failures={figures.failures} />
      </>
    )}
  </Block>
)

import type { Command } from 'commander'
import { type ConnectionCheck, checkConnections } from '../app/check-connections.ts'
import { checkInitialSetup } from '../app/seed/check-initial-setup.ts'
import { describeSenders } from '../call-data/ingest/describe-senders.ts'
import { type Configuration, readConfiguration } from '../config/configuration.ts'
import { InvalidConfigurationError } from '../config/invalid-configuration.ts'
import { type ListedSetting, listSettings, type SettingsList } from '../config/list-settings.ts'
import { FatalError } from '../lib/cli.ts'
import { describeExitCodes, exitCodes } from './exit-codes.ts'
import { jsonOption, printResult } from './output.ts'

interface Options {
  strict?: boolean
  json?: boolean
}

interface Report extends SettingsList {
  /** Why the settings cannot be used, or null. */
  problem: string | null
  /** States the possible senders of call data. */
  intakes: IntakeDescription[]
  connections: ConnectionCheck[]
  isOk: boolean
}

/** Returns the configuration, or the reason for which the server would not start. */
const readPreview = (variables: NodeJS.ProcessEnv): { configuration: Configuration } | { problem: string } => {
  try {
    const configuration = readConfiguration(variables)
    checkInitialSetup(configuration)
    return { configuration }
  } catch (error) {
    if (error instanceof InvalidConfigurationError || error instanceof FatalError) return { problem: error.message }
    throw error
  }
}

const createReport = async (variables: NodeJS.ProcessEnv, isStrict: boolean): Promise<Report> => {
  const { settings, unknown } = listSettings(variables)
  const preview = readPreview(variables)
  const connections = 'configuration' in preview ? await checkConnections(preview.configuration) : []
  const intakes = 'configuration' in preview ? describeIntakes(preview.configuration) : []
  const problem = 'problem' in preview ? preview.problem : null
  const isReachable = connections.every((connection) => connection.isReachable)
  const isOk = problem === null && isReachable && (!isStrict || unknown.length === 0)
  return { settings, unknown, problem, intakes, connections, isOk }
}

interface IntakeDescription {
  setting: string
  detail: string
}

/** Says of each intake who can send to it. An intake that rejects a sender is otherwise only seen while it runs. */
const describeIntakes = ({ influxIntake, otlpIntake, hepIntake }: Configuration): IntakeDescription[] => {
  const intakes = [
    ['INTAKE_INFLUX', 'influx', influxIntake],
    ['INTAKE_OTLP', 'otlp', otlpIntake],
    ['INTAKE_HEP', 'hep', hepIntake],
  ] as const
  return intakes.map(([setting, name, address]) => ({
    setting,
    detail: address === null ? 'The intake is off.' : describeSenders(name, address),
  }))
}

const formatSection = (title: string, rows: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.length === 0 ? [] : [title, ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`), '']
}

const formatSetting = ({ name, source, value }: ListedSetting): [string, string] => [
  name,
  value ?? (source === 'file' ? `set by ${name}_FILE` : 'set'),
]

const formatReport = ({ settings, unknown, problem, intakes, connections, isOk }: Report): string =>
  [
    ...formatSection('Settings', settings.filter(({ source }) => source !== 'default').map(formatSetting)),
    ...formatSection('Defaults', settings.filter(({ source }) => source === 'default').map(formatSetting)),
    ...formatSection(
      'Unknown settings, which have no effect',
      unknown.map(({ name, suggestion }) => [name, suggestion === null ? '' : `Did you mean ${suggestion}?`]),
    ),
    ...formatSection(
      'Intakes',
      intakes.map(({ setting, detail }) => [setting, detail]),
    ),
    ...formatSection(
      'Connections',
      connections.map(({ service, isReachable, detail }) => [service, `${isReachable ? 'ok' : 'failed'}: ${detail}`]),
    ),
    ...(problem === null ? [] : [problem, '']),
    isOk ? 'The configuration can be used.' : 'The configuration has problems.',
    '',
  ].join('\n')

const checkConfig = async ({ strict = false, json }: Options): Promise<void> => {
  const report = await createReport(process.env, strict)
  printResult(json, report, formatReport(report))
  // A connection that has exceeded its time limit would keep the process alive.
  process.exit(report.isOk ? exitCodes.success : exitCodes.failure)
}

/** `patchbay check-config`: shows the settings, without secrets, and what can be reached with them. */
export const configure = (command: Command): void => {
  command
    .description(
      'Show which settings are set, which defaults apply, and which names are unknown, and check the connections to ' +
        'the database and to every configured service. Secrets are not shown, and nothing is changed.',
    )
    .option('--strict', 'fail also if there are unknown names')
    .option(...jsonOption)
    .action(checkConfig)
  describeExitCodes(command, { [exitCodes.failure]: 'a setting is wrong, or a connection failed' })
}

/** Reader of topology files, and changes of topologies. */
export { parseChipMap, parseGamma, parseGroups, parseLinkSpec, withoutParts } from './edit-texts.ts';
export {
  checkGroups,
  type LinkSpec,
  withGamma,
  withGroup,
  withGroupAmong,
  withLink,
  withMap,
  withOverlap,
  withoutChip,
  withoutLink,
} from './edits.ts';
export { type Description, describeTopology } from './file.ts';
export { describeMachine, findTopology, isMachineFile, resolveTopology } from './resolve.ts';

/** Files of measured times as the tools write them, with few rows each. */

/** nccl-tests 2.13: times out of place and in place. */
export const ncclLog = `# nThread 1 nGpus 8 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid  12345 on       host device  0 [0x07] NVIDIA A100-SXM4-80GB
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    41.37   25.35   44.36      0    40.52   25.88   45.28      0
     2097152        524288     float     sum      -1    52.41   40.01   70.02      0    51.90   40.41   70.71    N/A
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 57.592
#
`;

/** rccl-tests of 2020: no root, and an error in place of wrong elements. */
export const rcclLog = `# nThread 1 nGpus 4 minBytes 4096 maxBytes 4096 step: 2(factor) warmup iters: 5 iters: 20 validation: 1
#                                                       out-of-place                       in-place
#       size         count      type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                       (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
        4096          1024     float             18.1    0.23    0.17  0e+00     17.9    0.23    0.17  0e+00
`;

export const osuTable = `
# OSU MPI Allgather Latency Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
1                       3.10
1024                    5.25
`;

export const osuFullTable = `# OSU MPI Allreduce Latency Test v5.9
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
4                       1.67              1.60              1.81        1000
`;

export const imbTable = `#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 2
# ( 2 additional processes waiting in MPI_Barrier)
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.05         0.06         0.05
            4         1000         0.60         0.70         0.65
#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 4
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            0         1000         0.05         0.06         0.05
            4         1000         1.10         1.30         1.20
         4096          640         4.10         4.30         4.20
`;

export const csv = `plan,protocol,size,seconds,in_place,date
"ring, wide.xml",LL,1MiB,3.2e-05,1,2024-04-03
tree.xml,,4096,0.00001,0,2024-03-27
tree.xml,Simple,4096,1.25e-5,,
`;

export const runDocument = JSON.stringify({
  ok: true,
  plan: 'ring-allreduce',
  collective: { kind: 'allreduce', ranks: 4, op: 'sum' },
  size: 4096,
  dtype: 'f32',
  seconds: { min: 1e-5, median: 2e-5, all: [2e-5, 1e-5, 4e-5] },
});

export const runSizesDocument = JSON.stringify({
  ok: true,
  plan: 'ring-allreduce',
  on: 'mpirun (Open MPI) 4.1.4',
  sizes: [
    { size: 1024, count: 256, dtype: 'f32', seconds: { min: 1e-5, all: [1e-5, 3e-5] } },
    { size: 2048, count: 512, dtype: 'f32', seconds: { min: 2e-5, all: [2e-5] } },
  ],
});

export const ncclTestsDocument = JSON.stringify({
  version: 3,
  start_time: '2026-11-27 12:00:00',
  args: ['./build/all_reduce_perf', '-b', '8'],
  results: [
    {
      size: 1024,
      out_of_place: { time: 41.5, alg_bw: 1, bus_bw: 2 },
      in_place: { time: 40.25, alg_bw: 1, bus_bw: 2 },
    },
    { size: 2048, out_of_place: null, in_place: { cpu_time: 50, alg_bw: 1, bus_bw: 2 } },
  ],
});

export const rcclTestsCsv = `numCycle, name, nodes, ranks, size, type, redop, inPlace, time, algBw, busBw, wrong
0, AllGather, 1, 8, 4096, float, none, 0, 20.5, 1.0, 1.0, 0
0, AllGather, 1, 8, 4096, float, none, 1, 19.5, 1.0, 1.0, 0
`;

const rcclRow = (inPlace: number, time: number): string =>
  `{"name":"AllGather", "size":4096, "inPlace":${inPlace}, "time":${time}, "algBw":1.0, "busBw":1.0, "wrong":"0"}`;
export const rcclTestsLines = `${rcclRow(0, 20.5)},\n${rcclRow(1, 19.5)}\n`;
export const rcclTestsList = `[${rcclRow(0, 20.5)},${rcclRow(1, 19.5)}]`;

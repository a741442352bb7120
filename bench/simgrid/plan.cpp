/*
 * Runs a plan as actors of SimGrid: every lane is an actor, every message a communication between two hosts of its own. Reads the plan and the
 * machine as numbers from standard input (simgrid.ts writes them) and prints the time. A second of SimGrid is a microsecond here, since it takes
 * what is nearer than a nanosecond for one instant, and a byte is 4096 of its bytes, since it counts whole ones.
 *
 * `shared`: messages enter the network as soon as they are sent, and SimGrid divides its links among them.
 * `exclusive`: a message enters when all links and ports on its way are free, the one that stands first in the program before others.
 */
#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <iostream>
#include <limits>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

static const double part = 4096;
/* What happens within a picosecond happens at one instant. */
static const double instant = 1e-6;

struct Resource { double bandwidth; long free; bool until_arrival; };
struct Message { double bytes; double order; };
struct Connection {
  std::vector<int> resources;
  sg4::Host *from, *to;
  int sender, receiver;
  long accepted = 0, arrived = 0, taken = 0;
  std::deque<Message> waiting;
};
struct Operation {
  enum Kind { send, receive, local } kind;
  int connection, engine;
  double bytes, microseconds, order;
  std::vector<std::pair<int, int>> after;
  long done = 0;
};
struct Lane { int rank; int first, last; };

/* Actors run one at a time, so that what they share needs no guard but where they wait. */
struct Signal {
  sg4::MutexPtr mutex = sg4::Mutex::create();
  sg4::ConditionVariablePtr changed = sg4::ConditionVariable::create();
  void await(const std::function<bool()>& holds) {
    std::unique_lock<sg4::Mutex> lock(*mutex);
    while (!holds()) changed->wait(lock);
  }
  void notify() { changed->notify_all(); }
};

static bool exclusive;
static long bulks;
static double inflight, order_of_bulk, last_end = 0;
static std::vector<Resource> resources;
static std::vector<Connection> connections;
static std::vector<Operation> operations;
static std::vector<Lane> lanes;
static std::vector<sg4::SemaphorePtr> engines;
static std::vector<Signal> ranks;
static std::vector<Signal> network;
static bool stirred = false;

static void stir() { stirred = true; network[0].notify(); }

static void carry(Connection& connection, const Message& message) {
  auto comm = sg4::Comm::sendto_async(connection.from, connection.to, static_cast<uint64_t>(message.bytes * part + 0.5));
  if (exclusive) {
    const double start = sg4::Engine::get_clock();
    std::vector<std::pair<double, int>> leaves;
    for (int r : connection.resources)
      if (!resources[r].until_arrival) leaves.push_back({start + message.bytes / resources[r].bandwidth, r});
    std::sort(leaves.begin(), leaves.end());
    for (auto& [at, r] : leaves) {
      sg4::this_actor::sleep_until(at);
      resources[r].free++;
      stir();
    }
  }
  comm->wait();
  if (exclusive) {
    for (int r : connection.resources)
      if (resources[r].until_arrival) resources[r].free++;
    stir();
  }
  connection.arrived++;
  ranks[connection.receiver].notify();
}

static void launch(Connection& connection, const Message& message) {
  sg4::Actor::create("message", connection.from, [&connection, message] { carry(connection, message); });
}

static bool start_first() {
  Connection* next = nullptr;
  for (auto& connection : connections) {
    if (connection.waiting.empty()) continue;
    if (next != nullptr && next->waiting.front().order <= connection.waiting.front().order) continue;
    const auto& needs = connection.resources;
    if (std::all_of(needs.begin(), needs.end(), [](int r) { return resources[r].free > 0; })) next = &connection;
  }
  if (next == nullptr) return false;
  for (int r : next->resources) resources[r].free--;
  launch(*next, next->waiting.front());
  next->waiting.pop_front();
  return true;
}

static void arbitrate() {
  for (;;) {
    network[0].await([] { return stirred; });
    sg4::this_actor::sleep_for(instant);
    stirred = false;
    while (start_first()) {}
  }
}

static void perform(Operation& operation, long bulk, int rank) {
  if (operation.kind == Operation::send) {
    Connection& connection = connections[operation.connection];
    ranks[rank].await([&] { return connection.accepted - connection.taken < inflight; });
    connection.accepted++;
    const Message message{operation.bytes, bulk * order_of_bulk + operation.order};
    if (exclusive) { connection.waiting.push_back(message); stir(); }
    else launch(connection, message);
    return;
  }
  if (operation.kind == Operation::receive) {
    Connection& connection = connections[operation.connection];
    ranks[rank].await([&] { return connection.arrived > connection.taken; });
    connection.taken++;
    ranks[connection.sender].notify();
  }
  if (operation.engine < 0) return;
  engines[operation.engine]->acquire();
  sg4::this_actor::sleep_for(operation.microseconds);
  engines[operation.engine]->release();
}

static void run_lane(const Lane& lane) {
  for (long bulk = 0; bulk < bulks; bulk++) {
    for (int o = lane.first; o < lane.last; o++) {
      for (auto& [before, earlier] : operations[o].after) {
        const long needed = bulk - earlier;
        ranks[lane.rank].await([&, before = before] { return operations[before].done > needed; });
      }
      perform(operations[o], bulk, lane.rank);
      operations[o].done++;
      last_end = std::max(last_end, sg4::Engine::get_clock());
      ranks[lane.rank].notify();
    }
  }
}

template <typename T> static T next() {
  T value;
  if (!(std::cin >> value)) { std::cerr << "the plan ends too soon\n"; std::exit(2); }
  return value;
}

static void read_machine(sg4::NetZone* zone, std::vector<sg4::Link*>& links) {
  const int link_count = next<int>();
  for (int l = 0; l < link_count; l++) {
    const double latency = next<double>(), bandwidth = next<double>();
    const bool blocking = next<int>() == 1;
    links.push_back(zone->create_link("link " + std::to_string(l), bandwidth * part)->set_latency(latency)->seal());
    resources.push_back({bandwidth, 1, blocking});
  }
  const int port_count = next<int>();
  for (int p = 0; p < port_count; p++) resources.push_back({0, next<long>(), true});
}

static void read_plan(sg4::NetZone* zone, const std::vector<sg4::Link*>& links) {
  const int rank_count = next<int>();
  ranks = std::vector<Signal>(rank_count);
  const int engine_count = next<int>();
  for (int e = 0; e < engine_count; e++) engines.push_back(sg4::Semaphore::create(1));
  connections.resize(next<int>());
  for (size_t c = 0; c < connections.size(); c++) {
    Connection& connection = connections[c];
    connection.sender = next<int>();
    connection.receiver = next<int>();
    connection.from = zone->create_host("from " + std::to_string(c), 1)->seal();
    connection.to = zone->create_host("to " + std::to_string(c), 1)->seal();
    std::vector<sg4::LinkInRoute> route;
    for (int left = next<int>(); left > 0; left--) {
      const int link = next<int>();
      route.emplace_back(links[link]);
      connection.resources.push_back(link);
    }
    for (int left = next<int>(); left > 0; left--) connection.resources.push_back(static_cast<int>(links.size()) + next<int>());
    zone->add_route(connection.from->get_netpoint(), connection.to->get_netpoint(), nullptr, nullptr, route, false);
  }
  for (int left = next<int>(); left > 0; left--) {
    const int rank = next<int>(), count = next<int>(), first = static_cast<int>(operations.size());
    for (int o = 0; o < count; o++) {
      Operation operation;
      operation.kind = static_cast<Operation::Kind>(next<int>());
      operation.connection = next<int>();
      operation.bytes = next<double>();
      operation.order = next<double>();
      operation.engine = next<int>();
      operation.microseconds = next<double>();
      for (int afters = next<int>(); afters > 0; afters--) {
        const int before = next<int>();
        operation.after.push_back({before, next<int>()});
      }
      operations.push_back(operation);
    }
    lanes.push_back({rank, first, static_cast<int>(operations.size())});
  }
}

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  for (const char* setting : {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "network/weight-S:0",
                              "network/latency-factor:1", "network/bandwidth-factor:1", "contexts/stack-size:64"})
    sg4::Engine::set_config(setting);
  auto* zone = sg4::create_full_zone("machine");
  exclusive = next<std::string>() == "exclusive";
  bulks = next<long>();
  inflight = next<double>();
  order_of_bulk = next<double>();
  std::vector<sg4::Link*> links;
  read_machine(zone, links);
  read_plan(zone, links);
  zone->seal();
  network = std::vector<Signal>(1);
  sg4::Actor::create("arbiter", connections[0].from, arbitrate)->daemonize();
  for (auto& lane : lanes) sg4::Actor::create("lane", connections[0].from, [&lane] { run_lane(lane); });
  engine.run();
  for (auto& operation : operations)
    if (operation.done < bulks) { std::cerr << "not all operations are done\n"; return 1; }
  std::cout.precision(15);
  std::cout << last_end << "\n";
}

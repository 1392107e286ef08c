// The catalogue: every operator's signature, family by family.
#pragma once

#include "ops/copy.h"
#include "ops/gather.h"
#include "ops/join.h"
#include "ops/reduce.h"
#include "ops/scan.h"
#include "ops/sort.h"
#include "ops/statistics.h"
#include "ops/vector_norm.h"
#include "ops/views.h"
